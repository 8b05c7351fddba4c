"""Faults: whatever goes wrong, the target is as it was and no temporary file stays; and how outputs replace their targets."""

import os
import resource
import signal
import stat
import subprocess
import threading
import time
import unittest

from harness import SORTILE, CommandTest, gnu_sort, run


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
            self.assertIn(b"No space left on device", done.stderr, command)

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

    def test_closed_descriptors(self):
        lines = self.file("lines", b"b\na\n")
        for closed, command in ((0, ["sort"]), (1, ["sort", lines]), (1, ["info"])):
            done = subprocess.run([SORTILE, *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=lambda: os.close(closed))
            self.assertEqual(done.returncode, 2, command)
            self.assertIn(b"Bad file descriptor", done.stderr)

    def start_slow_merge(self):
        """A merge that has written much of its output and waits for its input."""
        pipe = self.path("pipe")
        os.mkfifo(pipe)
        process = subprocess.Popen([SORTILE, "merge", "-", "-o", self.path("target")], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(b"".join(b"%09d\n" % i for i in range(200000)))
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not any(name.startswith(".target.sortile-") and os.path.getsize(self.path(name)) > 100000 for name in os.listdir(self.folder)):
            self.assertLess(time.monotonic(), deadline, "nothing was written")
            time.sleep(0.01)
        os.unlink(pipe)
        return process

    def test_ended_in_mid_write(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.file("target", b"as it was")
            process = self.start_slow_merge()
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=30), -number)
            process.stdin.close()
            process.stderr.close()
            self.assertEqual(self.content("target"), b"as it was")
            self.nothing_left("target")

    def test_killed_in_mid_write(self):
        self.file("target", b"as it was")
        process = self.start_slow_merge()
        process.kill()
        process.wait(timeout=30)
        process.stderr.close()
        self.assertEqual(self.content("target"), b"as it was")

    def test_input_becomes_shorter(self):
        lines = self.file("in", b"x" * 99 + b"\n")
        os.truncate(lines, 1 << 30)  # a hole, so that the cut takes its time
        self.file("target", b"as it was")
        process = subprocess.Popen([SORTILE, "sort", lines, "-o", self.path("target")], stderr=subprocess.PIPE)
        time.sleep(0.05)
        os.truncate(lines, 10)
        _, err = process.communicate(timeout=60)
        if process.returncode != 0:  # it may have been through with its input
            self.assertEqual(process.returncode, 2)
            self.assertIn(b"became shorter", err)
            self.assertEqual(self.content("target"), b"as it was")


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
