# muxpilot's hooks for bash: where a command starts and ends, and a key that loads a command into the line.
# @NONCE@ and @COMMAND@ are filled in. Sourced once by the shell of a terminal that muxpilot made.

__muxpilot_n=0 __muxpilot_was=

# Ends the last command: its status, and where the shell is now. First in PROMPT_COMMAND, and leaves $? as it was.
__muxpilot_prompt() {
    [[ $__muxpilot_was ]] && set -H
    __muxpilot_was=
    local here=$PWD
    [[ $here == *[[:cntrl:]]* ]] && here=
    builtin printf '\e]133;D;%s;@NONCE@;%s;%s\a' "$1" "$((__muxpilot_n += 1))" "$here" >/dev/tty
    return "$1"
}

# Puts the hooks in their places, again where something has thrown them out.
__muxpilot_arm() {
    [[ $PROMPT_COMMAND == *__muxpilot_prompt* ]] ||
        PROMPT_COMMAND='{ __muxpilot_prompt "$?"; } 2>/dev/null'${PROMPT_COMMAND:+$'\n'$PROMPT_COMMAND}
    [[ $PS0 == *@NONCE@* ]] || PS0+='\e]133;C;@NONCE@;$((__muxpilot_n += 1))\a'
    [[ $PS2 == *@NONCE@* ]] || PS2='\[\e]133;P;@NONCE@;$((__muxpilot_n += 1))\a\]'$PS2
}

# The key: an empty line becomes the command, and the next key accepts it. Whatever a person has typed stays.
__muxpilot_load() {
    if [[ $READLINE_LINE ]]; then
        builtin bind '"\e[7778~": redraw-current-line'
        builtin printf '\e]133;B;@NONCE@;%s\a' "$((__muxpilot_n += 1))" >/dev/tty
        return
    fi
    __muxpilot_arm
    # Not $(<...): bash 5.2 then takes the line apart at its spaces.
    IFS= builtin read -r -d '' READLINE_LINE <@COMMAND@
    READLINE_POINT=${#READLINE_LINE}
    [[ $- == *H* ]] && set +H && __muxpilot_was=H
    builtin bind '"\e[7778~": accept-line'
    builtin printf '\e]133;L;@NONCE@;%s\a' "$((__muxpilot_n += 1))" >/dev/tty
} 2>/dev/null

for __muxpilot_map in emacs-standard vi-insert vi-command; do
    builtin bind -m "$__muxpilot_map" -x '"\e[7777~": __muxpilot_load'
    builtin bind -m "$__muxpilot_map" '"\e[7778~": redraw-current-line'
done
unset __muxpilot_map
__muxpilot_arm
[[ $(HISTTIMEFORMAT= builtin history 1) == *' . '*/hooks* ]] && builtin history -d -1
builtin printf '\e[H\e[2J' >/dev/tty
