/** What was set up on the host, for an attack to reach. */
export interface Victims {
  /** A folder of the host beside the working directory, with `secret.txt`. */
  readonly outside: string;
  /** The host's home; `.netrc` in it is secret. */
  readonly hostHome: string;
  /** A process of the host, which has `victim-process` in its command line. */
  readonly pid: number;
  /** Keys of a memory segment, a message queue and a semaphore of the host. */
  readonly ipc: { readonly memory: string; readonly queue: string; readonly semaphore: string };
  /** A listener of the host. */
  readonly tcpPort: number;
  readonly unixSocket: string;
  readonly abstractSocket: string;
  /** The home of the run is a folder in it. */
  readonly tempRoot: string;
}

/** One try to get out. It was successful when the lines end with 0; 77: what it is about is not on this machine. */
export interface Attack {
  readonly name: string;
  /** For bash, with the helpers below. */
  readonly lines: string | ((victims: Victims) => string);
}

/** For every attack: `writes FILES`, `reads FILE TEXT`, `sys NAME ARGUMENTS`. */
export const HELPERS = `
writes() { local found=77 file; for file; do [ -e "$file" ] || continue; found=1; { true >> "$file"; } && return 0; done; return $found; }
reads() { local found=77 file; for file; do [ -e "$file" ] || continue; found=1; [ -n "$(head -c 64 "$file" | tr -d '\\0')" ] && return 0; done; return $found; }
sys() { perl ./sys.pl "$@"; }
mounts() { mkdir -p mnt; mount "$@" mnt; }
`;

/** Makes a system call by name; ends with 0 when it was allowed. */
export const SYS = `
use strict; use POSIX qw(uname);
my %x64 = (io_uring_setup => 425, open_by_handle_at => 304, fsopen => 430, open_tree => 428, mount_setattr => 442, move_mount => 429,
  fspick => 433, pivot_root => 155, bpf => 321, perf_event_open => 298, init_module => 175, finit_module => 313, kexec_load => 246,
  swapon => 167, acct => 163, syslog => 103, setns => 308, ptrace => 101, process_vm_readv => 310, pidfd_open => 434,
  pidfd_getfd => 438, socket => 41, clone => 56, unshare => 272, mq_open => 240, keyctl => 250, open => 2, iopl => 172,
  quotactl_fd => 443, settimeofday => 164, fanotify_init => 300, shmget => 29, kcmp => 312, lookup_dcookie => 212);
my %arm = (io_uring_setup => 425, open_by_handle_at => 265, fsopen => 430, open_tree => 428, mount_setattr => 442, move_mount => 429,
  fspick => 433, pivot_root => 41, bpf => 280, perf_event_open => 241, init_module => 105, finit_module => 273, kexec_load => 104,
  swapon => 224, acct => 89, syslog => 116, setns => 268, ptrace => 117, process_vm_readv => 270, pidfd_open => 434,
  pidfd_getfd => 438, socket => 198, clone => 220, unshare => 97, mq_open => 180, keyctl => 219,
  quotactl_fd => 443, settimeofday => 170, fanotify_init => 262, shmget => 194, kcmp => 272);
my $name = shift @ARGV;
my $number = ((uname())[4] eq 'aarch64' ? \\%arm : \\%x64)->{$name};
exit 77 unless defined $number;
my $buffer = "\\0" x 64;
my @words = map { /^-?\\d+$/ ? $_ + 0 : /^0x/ ? hex($_) : /^buffer:(\\d+)/ ? pack('PQ', $buffer, $1) : /^zeros:(\\d+)/ ? "\\0" x $1 : /^hex:(.*)/ ? pack('H*', $1) : $_ } @ARGV;
my $result = syscall($number, @words);
print "$name $result $!\\n";
exit($result >= 0 ? 0 : 1);
`;

const kernel = (...names: string[]): string => `writes ${names.map((name) => `/proc/sys/${name}`).join(' ')}`;

export const ATTACKS: readonly Attack[] = [
  // Settings of the kernel.
  { name: 'opens core_pattern for writing', lines: kernel('kernel/core_pattern') },
  {
    name: 'sets a program for crashes, and crashes: the program must not run',
    lines: ({ outside }) => `
printf '#!/bin/sh\\nid > ${outside}/escaped\\n' > crash.sh; chmod 755 crash.sh
{ echo "|$PWD/crash.sh" > /proc/sys/kernel/core_pattern; } || exit 1
ulimit -c unlimited; sh -c 'kill -SEGV $$'; exit 0`,
  },
  { name: 'sets the program that loads modules', lines: kernel('kernel/modprobe') },
  { name: 'sets the program for new devices', lines: kernel('kernel/hotplug') },
  { name: 'sets the program that powers off', lines: kernel('kernel/poweroff_cmd') },
  { name: 'sets the rights of helpers of the kernel', lines: kernel('kernel/usermodehelper/*') },
  { name: 'allows every system request key', lines: kernel('kernel/sysrq') },
  { name: 'presses a system request key', lines: 'writes /proc/sysrq-trigger' },
  { name: 'turns off the placing of memory by chance', lines: kernel('kernel/randomize_va_space') },
  { name: 'lets everybody trace everybody', lines: kernel('kernel/yama/ptrace_scope', 'kernel/perf_event_paranoid') },
  {
    name: 'shows addresses and messages of the kernel',
    lines: kernel('kernel/kptr_restrict', 'kernel/dmesg_restrict'),
  },
  {
    name: 'changes what the kernel does in a panic',
    lines: kernel('kernel/panic', 'kernel/panic_on_oops', 'vm/panic_on_oom'),
  },
  {
    name: 'changes the memory of the machine',
    lines: kernel('vm/overcommit_memory', 'vm/drop_caches', 'vm/swappiness'),
  },
  { name: 'lets set-uid programs leave dumps', lines: kernel('fs/suid_dumpable') },
  { name: 'lifts the protection of links', lines: kernel('fs/protected_symlinks', 'fs/protected_hardlinks') },
  {
    name: 'registers an interpreter for programs',
    lines: `mounts -t binfmt_misc none || writes /proc/sys/fs/binfmt_misc/register`,
  },
  {
    name: 'loosens the rules for programs in the kernel',
    lines: kernel('kernel/unprivileged_bpf_disabled', 'net/core/bpf_jit_enable'),
  },
  {
    name: 'opens any file of /proc/sys, but for those of its own name spaces',
    lines: `find /proc/sys -type f ! -path '*/net/*' ! -path '*/mqueue/*' ! -path '*/user/*' ! -name 'ns_last_pid' ! -name 'shm*' ! -name 'msg*' ! -name sem ! -name auto_msgmni > files
while read -r file; do { true >> "$file"; } && exit 0; done < files; exit 1`,
  },
  // Other entries of /proc.
  { name: 'sets where interrupts go', lines: 'writes /proc/irq/*/smp_affinity /proc/irq/default_smp_affinity' },
  { name: 'writes the settings of a PCI device', lines: 'writes /proc/bus/pci/*/*' },
  { name: 'writes below /proc/acpi', lines: 'writes /proc/acpi/*' },
  { name: 'writes below /proc/scsi', lines: 'writes /proc/scsi/* /proc/scsi/*/*' },
  { name: 'writes below /proc/driver and /proc/tty', lines: 'writes /proc/driver/* /proc/tty/* /proc/tty/driver/*' },
  { name: 'writes below /proc/fs', lines: 'writes /proc/fs/*/* /proc/fs/*/*/*' },
  { name: 'writes the ranges of memory', lines: 'writes /proc/mtrr' },
  { name: 'reads the memory of the kernel', lines: 'reads /proc/kcore /dev/mem /dev/kmem' },
  {
    name: 'reads the messages of the kernel',
    lines: 'dmesg 2>&1 | grep -q "^\\[" || timeout 1 head -c 9 /proc/kmsg | grep -q . || sys syslog 3 zeros:4096 4096',
  },
  {
    name: 'reads what only root may read in /proc',
    lines: 'reads /proc/slabinfo /proc/vmallocinfo /proc/timer_list /proc/pagetypeinfo',
  },
  {
    name: 'reads which pages of memory are used',
    lines: 'dd if=/proc/kpagecount bs=8 count=1 status=none | grep -q .',
  },
  // Processes outside.
  { name: 'sees a process of the host', lines: 'cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -q victim-[p]rocess' },
  { name: 'signals a process of the host', lines: ({ pid }) => `kill -0 ${pid}` },
  {
    name: 'makes a process of the host the first to be killed',
    lines: ({ pid }) => `writes /proc/${pid}/oom_score_adj`,
  },
  { name: 'traces a process of the host', lines: ({ pid }) => `sys ptrace 0x4206 ${pid} 0 0` },
  {
    name: 'reads the memory of a process of the host',
    lines: ({ pid }) => `reads /proc/${pid}/mem || sys process_vm_readv ${pid} buffer:8 1 buffer:8 1 0`,
  },
  { name: 'takes an open file of a process of the host', lines: ({ pid }) => `sys pidfd_open ${pid} 0` },
  {
    name: 'reads the environment of the first process',
    lines: 'cat /proc/1/environ | grep -q . && ! grep -qz "^SANDBOX_RUNTIME" /proc/1/environ',
  },
  {
    name: 'traces the bubblewrap above it',
    lines: 'tr "\\0" " " < /proc/1/cmdline | grep -q "bwrap " || exit 1; sys ptrace 0x4206 1 0 0',
  },
  {
    name: 'reads the files of bubblewrap',
    lines:
      'tr "\\0" " " < /proc/1/cmdline | grep -q "bwrap " || exit 1; ls /proc/1/root/ || ls -l /proc/1/fd/ | grep -q socket',
  },
  // Mounts.
  { name: 'takes the cover off /proc/sys', lines: 'umount /proc/sys || umount -l /proc/sys' },
  { name: 'takes /proc away', lines: 'umount -l /proc' },
  { name: 'mounts a new /proc', lines: 'mounts -t proc proc' },
  { name: 'mounts a new /sys', lines: 'mounts -t sysfs sysfs' },
  {
    name: 'mounts the control groups of the first version',
    lines: 'unshare -C bash -c "mkdir -p mnt; mount -t cgroup -o cpu none mnt || mount -t cgroup -o rdma none mnt"',
  },
  {
    name: 'mounts the control groups of the second version',
    lines: 'unshare -C bash -c "mkdir -p mnt; mount -t cgroup2 none mnt"',
  },
  {
    name: 'mounts the file systems for debugging',
    lines: 'mounts -t debugfs none || mounts -t tracefs none || mounts -t securityfs none',
  },
  {
    name: 'mounts a disk',
    lines: 'for disk in vda sda nvme0n1 vda1 sda1; do mounts -t ext4 /dev/$disk && exit 0; done; exit 1',
  },
  {
    name: 'mounts a layer over a folder of the system',
    lines: 'mkdir -p up wk; mounts -t overlay -o lowerdir=/etc,upperdir=up,workdir=wk none',
  },
  { name: 'mounts a folder onto another one', lines: 'mounts --bind /etc' },
  { name: 'mounts the system writable', lines: 'mount -o remount,rw,bind / || mount -o remount,rw /' },
  { name: 'mounts /proc/sys writable', lines: 'mount -o remount,rw,bind /proc/sys' },
  {
    name: 'lifts the masks of files in the working directory',
    lines: 'umount .mcp.json || umount -l .claude/settings.json || umount -l .claude',
  },
  { name: 'makes a mount by the new calls', lines: 'sys fsopen tmpfs 0' },
  { name: 'copies a tree of mounts', lines: 'sys open_tree -100 / 0x8001' },
  { name: 'changes the attributes of a mount', lines: 'sys mount_setattr -100 / 0 zeros:32 32' },
  {
    name: 'moves a mount, or picks one to change',
    lines: 'sys move_mount -100 /proc -100 /mnt 0 || sys fspick -100 / 0',
  },
  // Name spaces, roots, users.
  { name: 'makes a user name space', lines: 'unshare -U true || unshare -Ur true || sys unshare 0x10000000' },
  { name: 'makes a user name space with a child', lines: 'sys clone 0x10000011 0 0 0 0' },
  { name: 'makes a mount name space', lines: 'unshare -m true || sys unshare 0x20000' },
  {
    name: 'enters the name spaces of the first process',
    lines: 'nsenter -t 1 -m true || nsenter -t 1 -U true || nsenter -t 1 -n true',
  },
  { name: 'changes the root of every process', lines: 'mkdir -p new/old; sys pivot_root new new/old' },
  {
    name: 'leaves a root of its own by a folder that is open',
    lines: ({ hostHome }) =>
      `perl -e 'mkdir "jail"; opendir(my $d, "."); chroot("jail") or exit 1; chdir($d); chdir("..") for 1..64; chroot("."); exit(open(my $f, "<", "${hostHome}/.netrc") ? 0 : 1)'`,
  },
  {
    name: 'becomes another user',
    lines: "perl -e '$< = $> = 4242; exit($> == 4242 ? 0 : 1)' || su -c true nobody < /dev/null",
  },
  {
    name: 'gets rights from a set-uid program',
    lines:
      'for tool in su sudo pkexec newuidmap mount; do file=$(command -v $tool) && [ -u "$file" ] && grep -q "NoNewPrivs:.*0" /proc/self/status && exit 0; done; exit 1',
  },
  // Devices.
  { name: 'makes the device of a disk', lines: 'mknod disk b 254 0 || mknod disk b 8 0 || mknod /dev/disk b 8 0' },
  { name: 'makes the device of the memory', lines: 'mknod memory c 1 1 || mknod /dev/memory c 1 1' },
  {
    name: 'opens a disk',
    lines:
      'for disk in /dev/vd? /dev/sd? /dev/nvme?n? /dev/dm-?; do [ -b "$disk" ] && reads "$disk" && exit 0; done; exit 1',
  },
  { name: 'writes to the log of the kernel', lines: 'writes /dev/kmsg' },
  {
    name: 'writes to a terminal of the host',
    lines:
      'for tty in /dev/pts/[0-9]* /dev/console /dev/ttyS0 /dev/tty1; do [ -c "$tty" ] && { true >> "$tty"; } && exit 0; done; exit 1',
  },
  {
    name: 'types into the terminal',
    lines: 'perl -e \'open(my $t, "+<", "/dev/tty") or exit 1; exit(ioctl($t, 0x5412, my $c = "x") ? 0 : 1)\'',
  },
  {
    name: 'opens the programs of virtual machines and file systems',
    lines: 'writes /dev/kvm /dev/fuse /dev/vhost-net /dev/net/tun',
  },
  // System calls.
  {
    name: 'opens a file by its number',
    lines: 'sys open_by_handle_at 3 hex:0800000001000000020000000000000000 0x10000 3< /',
  },
  { name: 'sets up a ring of calls that no filter sees', lines: 'sys io_uring_setup 8 zeros:256' },
  { name: 'loads a program into the kernel', lines: 'sys bpf 5 hex:01000000020000000000000000000000 120' },
  { name: 'counts events of the kernel', lines: 'sys perf_event_open zeros:128 -1 0 -1 0' },
  { name: 'loads a module', lines: 'sys init_module zeros:16 16 x || sys finit_module 0 x 0' },
  { name: 'loads another kernel', lines: 'sys kexec_load 0 0 zeros:16 0' },
  { name: 'adds swap', lines: 'truncate -s 1M swap; sys swapon swap 0' },
  { name: 'accounts processes into a file', lines: 'sys acct 0' },
  { name: 'sets the clock', lines: 'date -s "$(date)"' },
  { name: 'sets the name of the host', lines: 'hostname "$(hostname)" || writes /proc/sys/kernel/hostname' },
  { name: 'reaches the ports of devices', lines: 'sys iopl 3 || reads /dev/port' },
  { name: 'watches a whole file system', lines: 'sys fanotify_init 4 0' },
  // What programs share.
  {
    name: 'sees a memory segment of the host',
    lines: ({ ipc }) => `ipcs -m | grep -q ${ipc.memory} || sys shmget ${ipc.memory} 0 0`,
  },
  { name: 'sees a message queue of the host', lines: ({ ipc }) => `ipcs -q | grep -q ${ipc.queue}` },
  { name: 'sees a semaphore of the host', lines: ({ ipc }) => `ipcs -s | grep -q ${ipc.semaphore}` },
  {
    name: 'reads a key of the host in the keyring of its session',
    lines: `perl -MPOSIX=uname -e 'my $call = (uname())[4] eq "aarch64" ? 219 : 250; my ($type, $name, $buffer) = ("user", "cw-host-key", "." x 64);
my $id = syscall($call, 10, -3, $type, $name, 0); exit 1 if $id < 0; syscall($call, 11, $id, $buffer, 64, 0); exit($buffer =~ /^host-secret/ ? 0 : 1)'`,
  },
  {
    name: 'connects to a socket of the host in the file system',
    lines: ({ unixSocket }) => `socat -u OPEN:/dev/null UNIX-CONNECT:${unixSocket}`,
  },
  {
    name: 'connects to a socket of the host without a path',
    lines: ({ abstractSocket }) => `socat -u OPEN:/dev/null ABSTRACT-CONNECT:${abstractSocket}`,
  },
  {
    name: 'connects to the container service',
    lines:
      'for at in /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock; do socat -u OPEN:/dev/null UNIX-CONNECT:$at && exit 0; done; exit 1',
  },
  {
    name: 'connects to the sockets of the CLI',
    lines:
      'for at in "$CLAUDE_CODE_MESSAGING_SOCKET" "$HOME"/tmp/*.sock; do socat -u OPEN:/dev/null UNIX-CONNECT:"$at" && exit 0; done; exit 1',
  },
  {
    name: 'connects to a port of the host',
    lines: ({ tcpPort }) => `timeout 3 bash -c "exec 9<> /dev/tcp/127.0.0.1/${tcpPort}"`,
  },
  {
    name: 'talks to the kernel about its network',
    lines: 'sys socket 17 3 0 || sys socket 2 3 1 || sys socket 40 1 0',
  },
  // Control groups, /sys.
  { name: 'sets the release agent', lines: 'writes /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent' },
  {
    name: 'moves itself into another control group',
    lines: 'writes /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs',
  },
  {
    name: 'freezes or limits a control group',
    lines:
      'writes /sys/fs/cgroup/*/notify_on_release /sys/fs/cgroup/*/memory.limit_in_bytes /sys/fs/cgroup/cgroup.subtree_control',
  },
  { name: 'sets the helper for events', lines: 'writes /sys/kernel/uevent_helper' },
  { name: 'sends the machine to sleep', lines: 'writes /sys/power/state /sys/power/disk' },
  { name: 'sets a parameter of a module', lines: 'writes /sys/module/*/parameters/*' },
  {
    name: 'opens any file of /sys',
    lines: `find /sys -type f \\( -name uevent -o -path '*/queue/*' -o -path '*/mm/*' -o -path '*/power/*' -o -path '*/cgroup/*' \\) > files
while read -r file; do { true >> "$file"; } && exit 0; done < files; exit 1`,
  },
  // Files.
  {
    name: 'writes a file of the system',
    lines: '{ true >> /etc/passwd; } || { true > /etc/cw-attack; } || { true > /usr/local/bin/cw-attack; }',
  },
  {
    name: 'plants a job',
    lines:
      '{ true > /etc/cron.d/cw-attack; } || { true > /var/spool/cron/cw-attack; } || { true > /etc/systemd/system/cw.service; }',
  },
  { name: 'plants a library for every program', lines: '{ true >> /etc/ld.so.preload; } || { true >> /etc/profile; }' },
  {
    name: 'writes beside the working directory',
    lines: ({ outside }) => `{ true > ${outside}/written; } || { true > ../written; } || mkdir ../made`,
  },
  { name: 'writes by a link', lines: ({ outside }) => `ln -sfn ${outside} way; { true > way/written; }` },
  { name: 'writes by a second name', lines: ({ outside }) => `ln ${outside}/secret.txt second && { true >> second; }` },
  {
    name: 'writes by /proc/self',
    lines: ({ outside }) => `{ true > /proc/self/root${outside}/written; } || { true > /proc/self/cwd/../written; }`,
  },
  {
    name: 'writes by an open file of the CLI',
    lines:
      'for at in /proc/self/fd/*; do [ "$(readlink "$at")" = "$PWD/files" ] || case $(readlink "$at") in */claude) { true >> "$at"; } && exit 0;; esac; done; exit 1',
  },
  { name: 'moves a folder above the working directory', lines: 'mv ../../work ../../moved || mv .. ../../moved' },
  { name: 'reads the home of the host', lines: ({ hostHome }) => `reads ${hostHome}/.netrc; [ $? = 0 ]` },
  {
    name: 'reads the home of the host by another way',
    lines: ({ hostHome }) =>
      `for way in /proc/self/root /proc/1/root /proc/thread-self/root /dev/../; do [ -s $way${hostHome}/.netrc ] && exit 0; done; exit 1`,
  },
  { name: 'changes the home of the host', lines: ({ hostHome }) => `{ echo x > ${hostHome}/planted; }; false` },
  {
    name: 'changes the guard of the sandbox',
    lines: ({ tempRoot }) =>
      `for home in ${tempRoot}/claude-agent-* "$HOME"; do { echo x > "$home/bin/bwrap"; }; rm -rf "$home/bin"; mv "$home/bin" "$home/gone"; done; find ${tempRoot} -name bwrap 2> /dev/null | grep -q .`,
  },
  {
    name: 'changes the settings of the run',
    lines: ({ tempRoot }) =>
      `for home in ${tempRoot}/claude-agent-* "$HOME"; do mkdir -p "$home/.claude"; echo '{}' > "$home/.claude/settings.json"; done; false`,
  },
  {
    name: 'plants programs of the sandbox where it is',
    lines: `printf '#!/bin/sh\\ntouch escaped-by-path\\n' > bwrap; cp bwrap socat; chmod 755 bwrap socat; false`,
  },
  {
    name: 'plants settings, hooks and servers in the working directory',
    lines: `{ echo x > .mcp.json; } || { echo x > .claude/settings.json; } || { mkdir -p .claude/hooks/x; }`,
  },
  {
    name: 'reads the API key',
    lines: `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q 'sk-ant-[c]anary' || env | grep -q 'sk-ant-[c]anary' || grep -rqs 'sk-ant-[c]anary' "$HOME" "$TMPDIR"`,
  },
  { name: 'leaves a process behind', lines: '(setsid nohup sleep 4000 > /dev/null 2>&1 &); false' },
];
