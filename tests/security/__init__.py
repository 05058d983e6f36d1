"""What an attacker would try: hostile spellings, real tmux, real stdio."""
