"""Faults: whatever goes wrong, the target is as it was and no temporary file stays; and how outputs replace their targets."""

import os
import resource
import shutil
import signal
import stat
import struct
import subprocess
import threading
import time
import unittest

from harness import SORTILE, CommandTest, gnu_sort, npy

SANITIZED = os.environ.get("SORTILE_SANITIZED", "") not in ("", "OFF")


def limit_file_size():
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))


class Faults(CommandTest):
    def big_lines(self):
        return b"".join(b"%d\n" % self.random.randrange(10**9) for _ in range(100000))

    def test_full_disk(self):
        lines = self.file("in", self.big_lines())
        self.file("target", b"as it was")
        self.refused("sort", lines, "-o", self.path("target"), preexec_fn=limit_file_size, says=["target", "write", "File too large"])
        self.assertEqual(self.content("target"), b"as it was")
        self.refused("gen", "uniform", "-n", "1M", "-o", self.path("new.npy"), preexec_fn=limit_file_size, says="new.npy")
        self.nothing_left("in", "target")
        for command in (["sort", lines], ["sort", lines, "-o", "/dev/full"], ["merge", self.file("sorted", b"a\n")], ["info"], ["manual"],
                        ["sort", "--explain", lines], ["completion", "bash"], ["gen", "uniform", "-n", "9"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([SORTILE, *command], stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b"/dev/full" if "-o" in command else b"standard output", done.stderr, command)
            self.assertIn(b"cannot write: No space left on device", done.stderr, command)

    def test_bad_inputs(self):
        target = self.file("target", b"as it was")
        self.refused("sort", self.path("missing"), "-o", target, says=["missing", "No such file"])
        self.refused("sort", self.folder, "-o", target, says=[self.folder, "is a directory"])
        self.refused("sort", self.file("fine", b"a\n"), self.path("missing"), "-o", target, says="missing")
        self.refused("sort", "/proc/self/mem", "-o", target, says=["/proc/self/mem", "read"])
        self.refused("merge", self.path("fine"), self.path("missing"), "-o", target, says="missing")
        self.refused("check", self.path("missing"), says="missing")
        self.refused("sort", self.path("fine"), "-o", self.folder, says="is a directory")
        self.refused("sort", self.path("fine"), "-o", self.path("no/such"), says=["no/such", "temporary"])
        self.refused("sort", self.path("fine"), "-o", "", says="empty")
        self.assertEqual(self.content("target"), b"as it was")
        self.nothing_left("fine", "target")

    @unittest.skipIf(os.geteuid() == 0, "the superuser may read and write everything")
    def test_permissions(self):
        secret = self.file("secret", b"b\na\n")
        os.chmod(secret, 0)
        self.refused("sort", secret, says=["secret", "Permission denied"])
        locked = self.file("locked", b"as it was")
        os.chmod(locked, 0o444)
        self.refused("sort", self.file("in", b"a\n"), "-o", locked, says=["locked", "Permission denied"])

    def test_folder_that_takes_no_file(self):
        """A target that can be written in a folder that cannot is overwritten; its inode and mode stay."""
        closed = self.path("closed")
        os.mkdir(closed)
        target = os.path.join(closed, "target")
        lines = self.file("in", b"b\na\n" * 3000)
        with open(target, "wb") as file:
            file.write(b"as it was" * 5000)
        os.chmod(target, 0o666)
        os.chmod(lines, 0o644)
        os.chmod(closed, 0o555)
        os.chmod(self.folder, 0o755)
        spare = self.path("spare")
        os.mkdir(spare)
        os.chmod(spare, 0o777)
        sortile = shutil.copy(shutil.which(SORTILE), self.path("sortile"))
        os.chmod(sortile, 0o755)
        as_nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        before = os.stat(target)
        for options, environment in ((["-T", spare], {}), ([], {"TMPDIR": spare}), (["-r"], {})):
            done = subprocess.run([sortile, "sort", lines, "-o", target, *options], capture_output=True, check=False, timeout=60, env={**os.environ, **environment}, **as_nobody)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            with open(target, "rb") as file:
                self.assertEqual(file.read(), b"b\n" * 3000 + b"a\n" * 3000 if "-r" in options else b"a\n" * 3000 + b"b\n" * 3000)
            after = os.stat(target)
            self.assertEqual((after.st_ino, after.st_mode), (before.st_ino, before.st_mode))
            self.assertEqual((os.listdir(closed), os.listdir(spare)), (["target"], []))
        done = subprocess.run([sortile, "sort", lines, "-o", os.path.join(closed, "new")], capture_output=True, check=False, timeout=60, **as_nobody)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"Permission denied", done.stderr)
        done = subprocess.run([sortile, "sort", lines, "-o", target, "-T", closed], capture_output=True, check=False, timeout=60, **as_nobody)
        self.assertEqual(done.returncode, 2)
        self.assertIn(closed.encode(), done.stderr)
        os.chmod(closed, 0o755)

    def test_more_inputs_than_open_files(self):
        """Merges in rounds: by a limit of the system, and by --batch-size; equal lines keep the order of their inputs."""
        parts = [sorted(b"%d %d" % (self.random.randrange(9), i) for _ in range(3)) for i in range(90)]
        paths = [self.file("p%02d" % i, b"".join(line + b"\n" for line in part)) for i, part in enumerate(parts)]
        expected = b"".join(line + b"\n" for line in sorted(sum(parts, []), key=lambda line: line[:1]))

        def few_files():
            resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        spare = self.path("spare")
        os.mkdir(spare)
        for command in (["merge"], ["sort", "-m"]):
            self.assertEqual(self.good(*command, "-s", "-k1,1", *paths, preexec_fn=few_files, env={"TMPDIR": spare}), expected)
        for size in ("2", "7", "89", "90", "1000"):
            self.assertEqual(self.good("sort", "-m", "-s", "-k1,1", "--batch-size", size, "-T", spare, *paths), expected)
            self.assertEqual(self.good("sort", "-m", "-u", "-k1,1", "--batch-size", size, "-T", spare, *paths), gnu_sort("-m", "-u", "-k1,1", *paths)[1])
        self.assertEqual(os.listdir(spare), [])
        self.refused("sort", "-m", "--batch-size=2", "-T", self.path("missing"), *paths, says=["missing", "temporary"])

    def test_closed_descriptors(self):
        lines = self.file("lines", b"b\na\n")
        for closed, command in ((0, ["sort"]), (1, ["sort", lines]), (1, ["info"])):
            done = subprocess.run([SORTILE, *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(closed))
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b"Bad file descriptor", done.stderr)

    def without_stderr(self, *arguments, stdin=b""):
        """The exit statuses with standard error closed, and on a full disk."""
        closed = subprocess.run([SORTILE, *arguments], input=stdin, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(2), timeout=60)
        with open("/dev/full", "wb") as full:
            filled = subprocess.run([SORTILE, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=full, timeout=60)
        return closed.returncode, filled.returncode

    def test_standard_error_that_cannot_be_written(self):
        lines, table = self.file("lines", b"b\na\n"), self.file("t.csv", b"a,b\n2,1\n1,2\n")
        ordered, keys = self.file("ordered", b"a\nb\n"), self.file("k.npy", npy("'<u4'", 2, b"44442121"))
        for status, commands in {
                0: [["sort", lines], ["sort", "-vv", lines, "-o", self.path("o")], ["sort", "-vv", table, "--by", "a"], ["check", "-v", ordered],
                    ["merge", "-vv", ordered, "-o", self.path("o")], ["gen", "-vv", "uniform", "-n", "9", "-o", self.path("o.npy")],
                    ["sort", "-vv", keys, "-o", self.path("o.npy")], ["info"], ["-h"], ["sort", "--help"], ["--version"], ["manual"],
                    ["completion", "bash"]],
                1: [["check", lines], ["check", keys], ["check", table, "--by", "a"], ["sort", "-c", lines], ["sort", "-C", lines],
                    ["check", ordered, "--permutation-of", table, "--format", "lines"]],
                2: [["sort", self.path("missing")], ["merge", lines], ["check", self.path("missing")], ["gen", "nosuch", "-n", "1"], [], ["nosuch"],
                    ["sort", "--nosuch"], ["sort", lines, "-o", "/dev/full"], ["sort", lines, "-o", "/dev/stderr"], ["sort", "-k0", lines],
                    ["sort", table, "-n"], ["sort", "--engine", "nosuch", lines]]}.items():
            for command in commands:
                self.assertEqual(self.without_stderr(*command), (status, status), command)

    def test_standard_output_that_cannot_be_written(self):
        lines = self.file("lines", b"b\na\n")
        for command in (["-h"], ["--help"], ["--version"], ["check", "-h"], ["sort", "--help"], ["gen", "--help"], ["info", "--json"], ["manual"],
                        ["sort", lines], ["merge", "-"], ["sort", "--explain", lines], ["completion", "zsh"]):
            with open("/dev/full", "wb") as full:
                filled = subprocess.run([SORTILE, *command], input=b"a\n", stdout=full, stderr=subprocess.PIPE, timeout=60)
            closed = subprocess.run([SORTILE, *command], input=b"a\n", stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1), timeout=60)
            for done, says in ((filled, b"No space left on device"), (closed, b"Bad file descriptor")):
                self.assertEqual(done.returncode, 2, command)
                self.assertIn(says, done.stderr, command)
                self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)
                self.assertTrue(done.stderr.startswith(b"sortile"), done.stderr)

    @unittest.skipIf(SANITIZED, "sanitizers take what they want")
    def test_little_stack_and_little_address_space(self):
        """ulimit -s and -v: what GNU sort can do with them, this command can."""
        lines = self.file("lines", self.big_lines() * 2)
        expected = gnu_sort(lines)[1]
        space = os.path.getsize(os.path.realpath(shutil.which(SORTILE))) + (20 << 20)
        for limit, size in ((resource.RLIMIT_STACK, 64 << 10), (resource.RLIMIT_AS, space)):
            for options in ([], ["-n"], ["--parallel=4"]):
                for _ in range(3):
                    done = subprocess.run([SORTILE, "sort", *options, lines], env={"LC_ALL": "C"}, preexec_fn=lambda: resource.setrlimit(limit, (size, size)), capture_output=True, timeout=60)
                    self.assertEqual((done.returncode, done.stderr), (0, b""), (limit, options))
                    self.assertTrue(done.stdout == (gnu_sort("-n", lines)[1] if "-n" in options else expected))

    def test_fewer_threads_than_asked_for(self):
        """A limit on processes: the threads that there are do the work."""
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("the superuser has no such limit")
        lines = self.file("lines", self.big_lines())
        as_nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
        os.chmod(self.folder, 0o755)
        limit = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        done = subprocess.run([*as_nobody, SORTILE, "check", "--threads", "8", lines], stderr=subprocess.PIPE, preexec_fn=limit, timeout=60)
        if b"setpriv" in done.stderr or b"Permission denied" in done.stderr:
            self.skipTest("cannot run as another user here")
        self.assertEqual(done.returncode, 1, done.stderr)

    def start_slow_merge(self, **more):
        """A merge that has written much of its output and waits for its input."""
        process = subprocess.Popen([SORTILE, "merge", "-", "-o", self.path("target")], stdin=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        process.stdin.write(b"".join(b"%09d\n" % i for i in range(200000)))
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not any(name.startswith(".target.sortile-") and os.path.getsize(self.path(name)) > 100000 for name in os.listdir(self.folder)):
            self.assertLess(time.monotonic(), deadline, "nothing was written")
            time.sleep(0.01)
        return process

    def test_ended_in_mid_write(self):
        """Every signal that ends a process and can be caught."""
        spared = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCHLD, signal.SIGCONT, signal.SIGURG,
                  signal.SIGWINCH, signal.SIGXFSZ}
        ending = sorted(set(signal.valid_signals()) - spared)
        self.assertLess({signal.SIGQUIT, signal.SIGXCPU, signal.SIGALRM, signal.SIGUSR1, signal.SIGPIPE, signal.SIGABRT}, set(ending))
        # Of the many real-time signals the first and the last stand for all.
        for number in [n for n in ending if n <= signal.SIGRTMIN] + [signal.SIGRTMAX]:
            self.file("target", b"as it was")
            process = self.start_slow_merge()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=30), -number)
            process.stdin.close()
            process.stderr.close()
            self.assertEqual(self.content("target"), b"as it was")
            self.nothing_left("target")

    def test_ignored_signals_stay_ignored(self):
        ignored = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1)
        process = self.start_slow_merge(preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in ignored])
        for number in ignored:
            process.send_signal(number)
        _, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, err), (0, b""))
        self.nothing_left("target")

    def test_limit_on_processor_time(self):
        lines = self.file("in", self.big_lines() * 100)
        target = self.file("target", b"as it was")
        limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 60))
        done = subprocess.run([SORTILE, "sort", "-k1.2nr", "-k1f", lines, lines, lines, lines, "-o", target], preexec_fn=limit, stderr=subprocess.PIPE, timeout=100)
        self.assertIn(done.returncode, (0, -signal.SIGXCPU))  # 0: a machine that is through within its second
        if done.returncode != 0:
            self.assertEqual(self.content("target"), b"as it was")
        self.nothing_left("in", "target")

    def test_killed_in_mid_write(self):
        self.file("target", b"as it was")
        process = self.start_slow_merge()
        process.kill()
        process.wait(timeout=30)
        process.stderr.close()
        self.assertEqual(self.content("target"), b"as it was")

    def test_input_becomes_shorter(self):
        """Cut while it is read: an error, no signal, and never a part of it in order."""
        for command in (["sort"], ["check"], ["sort", "--format", "raw", "--type", "u8"]):
            lines = self.file("in", b"x" * 99 + b"\n")
            os.truncate(lines, 1 << 28)  # a hole, so that reading takes its time
            self.file("target", b"as it was")
            output = [] if command == ["check"] else ["-o", self.path("target")]
            process = subprocess.Popen([SORTILE, *command, lines, *output], stderr=subprocess.PIPE)
            time.sleep(0.02)
            os.truncate(lines, 10)
            _, err = process.communicate(timeout=60)
            if process.returncode == 0:  # it was through with its input, or had not begun
                self.assertIn(os.path.getsize(self.path("target")), (9, 10, 11, 1 << 28, (1 << 28) + 1))
            else:
                self.assertIn(process.returncode, (1, 2))
                self.assertTrue(b"became shorter" in err or b"disorder" in err, err)
                self.assertEqual(self.content("target"), b"as it was")
            os.unlink(self.path("target"))

    def test_merge_of_an_input_that_becomes_shorter(self):
        lines = self.file("in", b"".join(b"%09d\n" % i for i in range(1000000)))
        process = subprocess.Popen([SORTILE, "merge", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(100000)  # it has begun, and waits for its reader
        os.truncate(lines, 5000)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(err, rb"in: became shorter while it was read: \d+ of 10000000 bytes came")


class WhatWasRead(CommandTest):
    """What was read is what is sorted, whatever becomes of the file then: above all by our own output."""

    def setUp(self):
        super().setUp()
        r = self.random
        numbers = [b"%d" % r.randrange(10**9) for _ in range(60000)]
        keys = [r.randrange(1 << 32) for _ in range(200000)]
        records = [struct.pack("<I40s", r.randrange(1 << 32), b"%d" % i) for i in range(20000)]
        descr = "[('key', '<u4'), ('rest', '|S40')]"
        order = sorted(b"%s,%d" % (n, i) for i, n in enumerate(numbers))
        table = sorted((b"%s,%d" % (n, i) for i, n in enumerate(numbers)), key=lambda row: int(row.split(b",")[0]))
        join = lambda lines: b"\n".join(lines) + b"\n"
        self.cases = {
            "lines": (["sort"], join(numbers), join(sorted(numbers))),
            "numbers": (["sort", "-n", "-s"], join(numbers), join(sorted(numbers, key=int))),
            "fields": (["sort", "-t,", "-k1,1"], join(b"%s,%d" % (n, i) for i, n in enumerate(numbers)),
                       join(sorted(order, key=lambda line: line.split(b",")[0]))),
            "t.csv": (["sort", "--by", "a"], b"a,b\n" + join(b"%s,%d" % (n, i) for i, n in enumerate(numbers)), b"a,b\n" + join(table)),
            "k.npy": (["sort"], npy("'<u4'", len(keys), struct.pack("<%dI" % len(keys), *keys)),
                      npy("'<u4'", len(keys), struct.pack("<%dI" % len(keys), *sorted(keys)))),
            "k.u32": (["sort"], struct.pack("<%dI" % len(keys), *keys), struct.pack("<%dI" % len(keys), *sorted(keys))),
            "r.npy": (["sort"], npy(descr, len(records), b"".join(records)),
                      npy(descr, len(records), b"".join(sorted(records, key=lambda r: struct.unpack("<I", r[:4])[0])))),
            "merged": (["merge"], join(sorted(numbers)), join(sorted(numbers))),
            "merge -m": (["sort", "-m"], join(sorted(numbers)), join(sorted(numbers))),
        }

    def test_output_is_the_input(self):
        for name, (command, content, expected) in self.cases.items():
            path = self.file(name, content)
            os.symlink(name, self.path("link"))
            os.link(path, self.path("twin"))
            os.symlink("/dev/stdout", self.path("out"))
            ways = {"itself": ["-o", path], "symbolic link": ["-o", self.path("link")], "dots": ["-o", self.path("./../") + os.path.basename(self.folder) + "/" + name]}
            for way, output in ways.items():
                self.good(*command, path, *output, *(["--format", "npy"] if name.endswith("npy") else []))
                self.assertEqual(self.content(name), expected, (name, way))
                self.file(name, content)
            self.assertEqual(self.content("twin") in (content, expected), True)
            for output in ([], ["-o", "/dev/stdout"], ["-o", "/proc/self/fd/1"], ["-o", "/dev/fd/1"], ["-o", self.path("out")]):
                with open(path, "r+b") as same:  # 1<> file
                    subprocess.run([SORTILE, *command, path, *output], stdout=same, check=True)
                self.assertEqual(self.content(name), expected, (name, output))
                with open(path, "r+b") as same, open(path, "rb") as source:  # < file 1<> file
                    same.write(content)
                    same.seek(0)
                    kind = ["--format", "raw", "--type", "u32"] if name == "k.u32" else ["--format", "csv"] if name == "t.csv" else []
                    subprocess.run([SORTILE, *command, "-", *output, *kind], stdin=source, stdout=same, check=True)
                self.assertEqual(self.content(name), expected, (name, output))
                self.file(name, content)
            with open(path, "ab") as same:  # >> file
                subprocess.run([SORTILE, *command, path], stdout=same, check=True)
            self.assertEqual(self.content(name), content + expected, name)
            for made in ("link", "twin", "out"):
                os.unlink(self.path(made))

    def test_reader_of_the_output_overwrites_the_input(self):
        for name, (command, content, expected) in self.cases.items():
            if "merge" in " ".join(command) or "-m" in command:
                continue  # reads while it writes: see test_merge_of_an_input_that_becomes_shorter
            for other in (b"", b"\xff" * len(content)):  # cut; and overwritten in place
                path = self.file(name, content)
                process = subprocess.Popen([SORTILE, *command, path], stdout=subprocess.PIPE)
                first = process.stdout.read(1)  # it has read all, and waits for its reader
                with open(path, "r+b") as file:
                    file.write(other)
                    file.truncate(len(other))
                out = first + process.stdout.read()
                process.stdout.close()
                self.assertEqual((process.wait(timeout=60), out), (0, expected), (name, len(other)))


class Replacing(CommandTest):
    LINES = b"b\nc\na\n"
    SORTED = b"a\nb\nc\n"

    def test_in_place(self):
        path = self.file("lines", self.LINES)
        self.good("sort", path, "-o", path)
        self.assertEqual(self.content("lines"), self.SORTED)
        self.nothing_left("lines")

    def test_mode_is_kept(self):
        path = self.file("lines", self.LINES)
        for mode in (0o600, 0o751, 0o640):
            os.chmod(path, mode)
            self.good("sort", path, "-o", path)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), mode)
        self.good("sort", path, "-o", self.path("new"), preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)

    def test_links_are_followed(self):
        os.mkdir(self.path("folder"))
        self.file("folder/real", b"old")
        os.symlink("folder/real", self.path("link"))
        os.symlink("link", self.path("link2"))
        self.good("sort", "-", "-o", self.path("link2"), stdin=self.LINES)
        self.assertEqual(os.readlink(self.path("link")), "folder/real")
        self.assertEqual(self.content("folder/real"), self.SORTED)
        os.symlink("folder/fresh", self.path("dangling"))
        self.good("sort", "-", "-o", self.path("dangling"), stdin=self.LINES)
        self.assertEqual(self.content("folder/fresh"), self.SORTED)
        os.symlink("loop", self.path("loop"))
        self.refused("sort", "-", "-o", self.path("loop"), stdin=self.LINES, says=["loop", "symbolic link"])
        self.assertEqual(sorted(os.listdir(self.path("folder"))), ["fresh", "real"])

    def test_straight_through(self):
        self.good("sort", "-", "-o", "/dev/null", stdin=self.LINES)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        for name in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            self.assertEqual(self.good("sort", "-", "-o", name, stdin=self.LINES), self.SORTED, name)
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        received = []
        reader = threading.Thread(target=lambda: received.append(open(fifo, "rb").read()))
        reader.start()
        self.good("sort", "-", "-o", fifo, stdin=self.LINES)
        reader.join(timeout=30)
        self.assertEqual(received, [self.SORTED])
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))

    def test_redirected_output_keeps_what_is_there(self):
        with open(self.path("log"), "wb") as log:
            log.write(b"first\n")
            log.flush()
            for name in ("-", "/dev/stdout"):
                subprocess.run([SORTILE, "sort", "-", "-o", name], input=self.LINES, stdout=log, check=True)
        self.assertEqual(self.content("log"), b"first\n" + 2 * self.SORTED)

    def test_redirected_input_from_its_middle(self):
        path = self.file("lines", b"skip\nb\na\n")
        with open(path, "rb", buffering=0) as file:
            file.seek(5)
            done = subprocess.run([SORTILE, "sort"], stdin=file, capture_output=True, check=True)
        self.assertEqual(done.stdout, b"a\nb\n")

    def test_file_of_proc(self):
        with open("/proc/self/mounts", "rb") as file:
            expected = gnu_sort(stdin=file.read())[1]
        self.assertEqual(self.good("sort", "/proc/self/mounts"), expected)

    def test_reader_that_goes_away(self):
        lines = self.file("lines", b"".join(b"%d\n" % i for i in range(300000)))
        process = subprocess.Popen([SORTILE, "sort", lines], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=30), -signal.SIGPIPE)
        process.stderr.close()


if __name__ == "__main__":
    unittest.main()
