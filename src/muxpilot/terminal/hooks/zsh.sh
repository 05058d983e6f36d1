# muxpilot's hooks for zsh: where a command starts and ends, and a key that loads a command into the line.
# @NONCE@ and @COMMAND@ are filled in. Sourced once by the shell of a terminal that muxpilot made.

typeset -gi __muxpilot_n=0
typeset -g __muxpilot_was= __muxpilot_chars=

__muxpilot_say() {
    builtin printf '\e]133;%s;@NONCE@;%s%s\a' "$1" "$((__muxpilot_n += 1))" "${2-}" >/dev/tty
}

__muxpilot_restore() {
    [[ -n $__muxpilot_was ]] && setopt $__muxpilot_was
    [[ -n $__muxpilot_chars ]] && histchars=$__muxpilot_chars
    __muxpilot_was= __muxpilot_chars=
}

# Ends the last command: its status, and where the shell is now.
__muxpilot_precmd() {
    local was=$? here=$PWD
    __muxpilot_restore
    [[ $here == *[[:cntrl:]]* ]] && here=
    __muxpilot_say "D;$was" ";$here"
    return was
}

__muxpilot_preexec() {
    __muxpilot_restore
    __muxpilot_say C
}

# Puts the hooks in their places, again where something has thrown them out.
__muxpilot_arm() {
    (( ${precmd_functions[(I)__muxpilot_precmd]} )) || precmd_functions=(__muxpilot_precmd $precmd_functions)
    (( ${preexec_functions[(I)__muxpilot_preexec]} )) || preexec_functions+=(__muxpilot_preexec)
    [[ $PROMPT_EOL_MARK == *@NONCE@* ]] ||
        PROMPT_EOL_MARK=$'%{\e]133;E;@NONCE@;0\a%}'${PROMPT_EOL_MARK-%B%S%#%s%b}
    [[ $PROMPT2 == *@NONCE@* ]] || PROMPT2=$'%{\e]133;P;@NONCE@;0\a%}'$PROMPT2
}

# The key: an empty line becomes the command, and is accepted. Whatever a person has typed stays.
__muxpilot_load() {
    if [[ -n $BUFFER || -n $PREBUFFER ]]; then
        __muxpilot_say B
        return
    fi
    __muxpilot_arm
    BUFFER=$(<@COMMAND@)
    CURSOR=$#BUFFER
    local other
    for other in $'\x1f' $'\x1e' $'\x1d' $'\x1c'; do [[ $BUFFER == *$other* ]] || break; done
    __muxpilot_chars=$histchars
    histchars=$other$other${histchars[3]:-#}
    [[ -o interactivecomments ]] || { __muxpilot_was=nointeractivecomments; setopt interactivecomments; }
    __muxpilot_say L
    zle .accept-line
}

zle -N __muxpilot_load
for __muxpilot_map in emacs viins vicmd; do bindkey -M $__muxpilot_map '\e[7777~' __muxpilot_load; done
unset __muxpilot_map
__muxpilot_arm
