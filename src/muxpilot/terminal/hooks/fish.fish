# muxpilot's hooks for fish: where a command starts and ends, and a key that loads a command into the line.
# @NONCE@ and @COMMAND@ are filled in. Sourced once by the shell of a terminal that muxpilot made.

set -g __muxpilot_n 0

function __muxpilot_say
    set -g __muxpilot_n (math $__muxpilot_n + 1)
    builtin printf '\e]133;%s;@NONCE@;%s%s\a' $argv[1] $__muxpilot_n $argv[2] >/dev/tty
end

function __muxpilot_preexec --on-event fish_preexec
    __muxpilot_say C
end

# Where its output ends: what follows is fish's own.
function __muxpilot_postexec --on-event fish_postexec
    set -l was $status
    __muxpilot_say E
    return $was
end

# Ends the last command: its status, and where the shell is now.
function __muxpilot_prompt --on-event fish_prompt
    set -l was $status
    set -l here $PWD
    string match -qr '[[:cntrl:]]' -- $here; and set here ''
    __muxpilot_say "D;$was" ";$here"
end

# The key: an empty line becomes the command, and is executed. Whatever a person has typed stays.
function __muxpilot_load
    if test -n "$(commandline)"
        __muxpilot_say B
        return
    end
    read -lz text <@COMMAND@
    commandline -r -- $text
    commandline --is-valid
    switch $status
        case 0
            __muxpilot_say L
            commandline -f execute
        case 2
            commandline -r ''
            __muxpilot_say L
            __muxpilot_say P
        case '*' # fish would keep a line that it can't parse: say what is wrong with it, and go on.
            commandline -r ''
            __muxpilot_say L
            printf '%s\n' $text
            __muxpilot_say C
            set -l fish (status fish-path)
            $fish --no-config --no-execute -c $text
            __muxpilot_say E
            __muxpilot_say 'D;127' ";$PWD"
            commandline -f repaint
    end
end

for mode in default insert
    bind -M $mode \e\[7777~ __muxpilot_load
end
printf '\e[H\e[2J' >/dev/tty
