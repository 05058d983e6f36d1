# muxpilot's hooks for dash, busybox ash, ksh and mksh, which tell nobody that a command begins: where one ends.
# What stands between @ signs is filled in. Read as $ENV by the shell of a terminal that muxpilot made.

unset ENV
@ENV@
__muxpilot_n=0
# Out of the environment: a child that found them there could not do anything with them.
__muxpilot_1=${PS1-@PROMPT@} __muxpilot_2=${PS2-> }
unset PS1 PS2
# What stands around the mark tells the line editor that it takes no room.
PS1='@BEGIN@@ESC@]133;D;$?;@NONCE@;$((__muxpilot_n+=1))@BEL@@END@'$__muxpilot_1
PS2='@BEGIN@@ESC@]133;P;@NONCE@;0@BEL@@END@'$__muxpilot_2
unset __muxpilot_1 __muxpilot_2
