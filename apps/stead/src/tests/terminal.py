"""Runs a program in a pseudo-terminal, for tests. Lines of JSON on standard input type and resize; what the program
shows goes to standard output as it is; ends with the program's exit code."""
import base64, fcntl, json, os, pty, select, signal, struct, sys, termios

columns, rows, *command = sys.argv[1:]


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', int(rows), int(columns), 0, 0))


child, terminal = pty.fork()
if child == 0:
    resize(0, columns, rows)
    os.execvp(command[0], command)

waiting = b''
sources = [terminal, 0]
while True:
    readable, _, _ = select.select(sources, [], [])
    if terminal in readable:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            shown = b''
        if not shown:
            break
        os.write(1, shown)
    if 0 in readable:
        told = os.read(0, 65536)
        if not told:
            sources = [terminal]
        *lines, waiting = (waiting + told).split(b'\n')
        for line in lines:
            order = json.loads(line)
            if 'type' in order:
                os.write(terminal, base64.b64decode(order['type']))
            else:
                resize(terminal, *order['resize'])
                os.kill(child, signal.SIGWINCH)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xff)
