"""What a submission may try. Each is put behind the cells of a solved notebook.

`{…}` stand for what the test lays out: the class's `folder`, the `neighbour`'s notebook, a `canary`
file outside of it, the `port` of a server, the secret seed `backwards`, and a `marker` of
processes. Code that
gets at something says so: it raises FOUND, which the table would show. Entries in ALONE are tried
only where submissions are kept apart from the system; in COSTLY are those that cost their author
an answer, in FATAL those that cost all that follows.
"""

FIND = """
import os
class FOUND(BaseException): pass
def look(paths):
    for path in paths:
        try:
            data = open(path, 'rb').read(10_000)
        except OSError:
            continue
        raise FOUND(path)
"""

ALONE = {
    "kill the parent": "import os\nos.kill(os.getppid(), 9)",
    "kill the parent, softly": "import os\nos.kill(os.getppid(), 15)",
    "kill everybody": "import os\nos.kill(-1, 9)",
    "stop the parent": "import os, signal\nos.kill(os.getppid(), signal.SIGSTOP)",
    "kill each number": "import os\n"
    "for number in range(1, 40_000):\n"
    "    try:\n"
    "        number == os.getpid() or os.kill(number, 9)\n"
    "    except OSError: pass",
    "delete everything": "import shutil\nshutil.rmtree('/', ignore_errors=True)",
    "overwrite the neighbour": "open({neighbour!r}, 'w').write('{{}}')",
    "delete the class": "import shutil\nshutil.rmtree({folder!r})",
    "read the neighbour": FIND + "look([{neighbour!r}])",
    "list the class": FIND + "if os.path.isdir({folder!r}): raise FOUND(os.listdir({folder!r}))",
    "search the disk": FIND + "for where, _, names in os.walk('/'):\n"
    "    here = where == os.getcwd()\n"
    "    look(where + '/' + n for n in names if n.endswith('.ipynb') and not here\n"
    "         and 'site-packages' not in where and 'dist-packages' not in where)",
    "read a home": FIND + "look([{canary!r}])",
    "list homes": FIND + "for home in ('/root', '/home', os.path.expanduser('~/..')):\n"
    "    if os.path.isdir(home):\n"
    "        for name in os.listdir(home):\n"
    "            if name not in ('.pyenv', 'work') and not name.startswith('.cache'):\n"
    "                look([home + '/' + name])",
    "read the users": FIND + "look(['/etc/passwd', '/etc/shadow', '/etc/group'])",
    "read other processes": FIND + "import glob\nlook(glob.glob('/proc/*/cmdline')[1:])",
    "read the machine": FIND + "look(['/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda'])",
    "change the library": "import pe_lib\nopen(pe_lib.__file__, 'a').write('oops')",
    "change the sheets": "from pe_lib.course.grading import sheet\n"
    "for path in sheet.SHEETS.iterdir(): path.write_text('')",
    "change numpy": "import numpy\nopen(numpy.__file__, 'a').write('oops')",
    "change Python": "import os\nopen(os.__file__, 'a').write('oops')",
    "delete the library": "import shutil, pe_lib\nshutil.rmtree(pe_lib.__path__[0])",
    "plant a module": FIND + "import site, sys\n"
    "for entry in sys.path:\n"
    "    if entry in ('', os.getcwd()): continue\n"
    "    try:\n"
    "        open(entry + '/sitecustomize.py', 'w').write('oops')\n"
    "    except OSError: continue\n"
    "    raise FOUND(entry)",
    "remount": FIND + "import ctypes, pe_lib\n"
    "libc = ctypes.CDLL(None)\n"
    "for where in ('/', '/usr', pe_lib.__path__[0]):\n"
    "    if libc.mount(None, where.encode(), None, ctypes.c_ulong(0x1020), None) == 0:\n"
    "        raise FOUND(where)",
    "unmount": FIND + "import ctypes, pe_lib\n"
    "for where in ('/tmp/work', '/usr', pe_lib.__path__[0]):\n"
    "    if ctypes.CDLL(None).umount2(where.encode(), 2) == 0: raise FOUND(where)",
    "rights in a namespace of its own": FIND + "import ctypes, pe_lib\n"
    "libc = ctypes.CDLL(None)\n"
    "libc.unshare(0x10020000)\n"
    "libc.mount(None, pe_lib.__path__[0].encode(), None, ctypes.c_ulong(0x1020), None)\n"
    "try:\n"
    "    open(pe_lib.__file__, 'a').write('oops')\n"
    "except OSError: pass\n"
    "else: raise FOUND",
    "become root": FIND + "try:\n"
    "    os.setuid(0)\n"
    "except OSError: pass\n"
    "else:\n"
    "    open('/oops', 'w')\n"
    "    raise FOUND",
    "climb out": FIND + "try:\n"
    "    os.mkdir('x'); os.chroot('x')\n"
    "except OSError: pass\n"
    "else: raise FOUND",
    "climb out by a handle": FIND + "for number in range(1_000):\n"
    "    try:\n"
    "        os.listdir(number)\n"
    "    except OSError: continue\n"
    "    raise FOUND(number)",
    "make a device": FIND + "try:\n"
    "    os.mknod('disk', 0o60600, os.makedev(254, 0)); open('disk', 'rb').read(1)\n"
    "except OSError: pass\n"
    "else: raise FOUND",
    "call home": FIND + "import socket\n"
    "try:\n"
    "    socket.create_connection(('127.0.0.1', {port}), timeout=1)\n"
    "except OSError: pass\n"
    "else: raise FOUND",
    "call a service of the system": FIND + "import socket\n"
    "for name in ('/run/dbus/system_bus_socket', '/var/run/docker.sock', '\\0{marker}'):\n"
    "    try:\n"
    "        socket.socket(socket.AF_UNIX).connect(name)\n"
    "    except OSError: continue\n"
    "    raise FOUND(name)",
    "fill the disk": "try:\n"
    "    for n in range(10_000):\n"
    "        with open(f'{{n}}', 'wb') as file: file.write(bytes(2**24))\n"
    "except OSError: pass\n"
    "else: raise SystemError",
    "many files": "try:\n"
    "    for n in range(1_000_000): open(f'{{n}}', 'w').close()\n"
    "except OSError: pass",
    "many processes": "import os, time\n"
    "while True:\n"
    "    try: os.fork() or time.sleep(60)\n"
    "    except OSError: break",
    "more memory": FIND + "import resource\n"
    "try:\n"
    "    resource.setrlimit(resource.RLIMIT_AS, (2**40, 2**40))\n"
    "except (OSError, ValueError): pass\n"
    "else: raise FOUND",
}
EVERYWHERE = {
    "a daemon": "import os, time, subprocess, sys\n"
    "if not os.fork():\n"
    "    os.setsid()\n"
    "    if not os.fork():\n"
    "        code = 'import time; time.sleep(99)'\n"
    "        os.execv(sys.executable, [sys.executable, '-c', code, {marker!r}])\n"
    "    os._exit(0)\n"
    "time.sleep(0.3)",
    "a family of daemons": "import os, time, subprocess, sys\n"
    "code = 'import os, time; os.fork(); os.setsid(); os.fork(); time.sleep(99)'\n"
    "subprocess.Popen([sys.executable, '-c', code, {marker!r}], start_new_session=True)\n"
    "time.sleep(0.3)",
    "read the environment": FIND + "if 'ORDER_MATTERS_CANARY' in os.environ: raise FOUND",
    "search the frames": FIND + "import sys\n"
    "honest = decode\n"
    "def decode(*values):\n"
    "    frame = sys._getframe()\n"
    "    while frame:\n"
    "        if str({backwards})[::-1] in repr(frame.f_locals): raise FOUND\n"
    "        frame = frame.f_back\n"
    "    return honest(*values)",
    "search the memory": FIND + "import gc\n"
    "honest, calls = decode, []\n"
    "def decode(*values):\n"
    "    calls.append(1)\n"
    "    if len(calls) % 24 != 20: return honest(*values)\n"
    "    number = int(str({backwards})[::-1])\n"
    "    for one in gc.get_objects():\n"
    "        if type(one) in (list, tuple, dict):\n"
    "            held = one.values() if type(one) is dict else one\n"
    "            if any(type(x) is int and x == number for x in list(held)) and len(one) < 50:\n"
    "                if not any(x is number for x in list(held)): raise FOUND(str(one)[:99])\n"
    "    return honest(*values)",
    "listen on the line": FIND + "import json\n"
    "loads, secret = json.loads, str({backwards})[::-1]\n"
    "def heard(text, *more):\n"
    "    if secret in str(text): raise FOUND\n"
    "    return loads(text, *more)\n"
    "json.loads = heard",
    "an endless destructor": "class Last:\n"
    "    def __del__(self):\n"
    "        while True: pass\n"
    "last = Last()",
    "an endless farewell": "import atexit\natexit.register(lambda: [None for _ in iter(int, 1)])",
    "an error that can't be shown": "class Bad(Exception):\n"
    "    def __str__(self): return 'x' * 10**8\n"
    "raise Bad",
}
COSTLY = {
    "answers of its own making": "import json, os\n"
    "for number in range(3, 64):\n"
    "    for call in range(40):\n"
    "        said = dict(answer=call, value=[True, 1], changed=dict())\n"
    "        try:\n"
    "            os.write(number, json.dumps(said).encode() + b'\\n')\n"
    "        except OSError: pass",
    "noise": "import os\n"
    "for number in range(3, 64):\n"
    "    try:\n"
    "        os.write(number, b'\\xff\\x00' * 100)\n"
    "    except OSError: pass",
    "an endless line": "import os\n"
    "for number in range(3, 64):\n"
    "    try:\n"
    "        for _ in range(100): os.write(number, b'x' * 2**20)\n"
    "    except OSError: pass",
    "nested noise": "import os\n"
    "for number in range(3, 64):\n"
    "    try:\n"
    "        os.write(number, b'[' * 100_000 + b'\\n')\n"
    "    except OSError: pass",
    "close all lines": "import os\nos.closerange(0, 1_000)",
    "a large answer": "import numpy as np\ndecode = lambda *_: np.ones((3_000, 3_000))",
    "an endless answer": "import numpy as np\n"
    "decode = lambda *_: np.broadcast_to(1.0, (10**7, 10**7))",
    "a list in itself": "def decode(*_):\n    all = []\n    all.append(all)\n    return all",
    "a deep list": "def decode(*_):\n"
    "    all = []\n"
    "    for _ in range(100_000): all = [all]\n"
    "    return all",
    "a number too long to print": "decode = lambda *_: 10**5_000",
    "an array that bites": "class Bad:\n"
    "    def __array__(self, *_, **__): raise SystemExit\n"
    "decode = lambda *_: Bad()",
    "a type that bites": "class Bad(type):\n"
    "    __name__ = property(lambda self: 1 / 0)\n"
    "class Worse(metaclass=Bad): pass\n"
    "decode = lambda *_: Worse()",
    "the end, when asked": "import os\ndecode = lambda *_: os._exit(0)",
    "a crash, when asked": "import ctypes\ndecode = lambda *_: ctypes.string_at(0)",
    "an exit, when asked": "def decode(*_): raise SystemExit",
    "an interrupt, when asked": "def decode(*_): raise KeyboardInterrupt",
    "an error of a strange kind": "def decode(*_):\n"
    "    raise type('TooSlow' * 99, (BaseException,), {{}})",
    "an object in place of a sheet": "decode = sheet",
    "an answer that can't be had": "class Bad:\n"
    "    def __getattribute__(self, name): raise KeyboardInterrupt\n"
    "decode = Bad()",
    "deaf when asked": "import signal\n"
    "def decode(*_):\n"
    "    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
    "    while True: pass",
}
FATAL = {
    "a stop": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "deaf to the clock": "import signal\n"
    "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
    "while True: pass",
    "no modules": "import sys\nsys.modules.clear()",
    "other builtins": "import builtins\nbuiltins.len = builtins.open = builtins.isinstance = None",
}
