/** Files and patterns that must not open for writing. */
interface Attempt {
  /** The name in errors. */
  readonly about: string;
  readonly files: readonly string[];
}

const sys = (...names: string[]): string[] => names.map((name) => `/proc/sys/${name}`);

const ATTEMPTS: readonly Attempt[] = [
  {
    about: 'kernel settings in /proc/sys',
    files: sys(
      ...['kernel/core_pattern', 'kernel/core_pipe_limit', 'kernel/modprobe', 'kernel/hotplug'],
      ...['kernel/poweroff_cmd', 'kernel/usermodehelper/*', 'kernel/sysrq', 'kernel/cad_pid'],
      ...['kernel/randomize_va_space', 'kernel/yama/*', 'kernel/dmesg_restrict', 'kernel/panic'],
      ...['kernel/kexec_load_disabled', 'kernel/keys/*', 'kernel/hostname'],
      ...['fs/binfmt_misc/*', 'fs/suid_dumpable', 'fs/protected_*', 'fs/file-max'],
      ...['vm/overcommit_memory', 'vm/drop_caches', 'vm/panic_on_oom', 'debug/*', 'dev/*/*'],
    ),
  },
  { about: 'the system request key', files: ['/proc/sysrq-trigger'] },
  {
    about: 'devices and drivers in /proc',
    files: [
      ...['/proc/acpi/*', '/proc/bus/*/*', '/proc/bus/*/*/*', '/proc/driver/*', '/proc/irq/*/*'],
      ...['/proc/scsi/*', '/proc/scsi/*/*', '/proc/tty/driver/*', '/proc/fs/*/*', '/proc/mtrr'],
      ...['/proc/asound/*/*', '/proc/dynamic_debug/*', '/proc/kcore', '/proc/profile'],
      ...['/proc/kmsg', '/proc/slabinfo', '/proc/latency_stats', '/proc/timer_stats'],
    ],
  },
  {
    about: 'helpers and settings of the kernel in /sys',
    files: [
      ...['/sys/kernel/uevent_helper', '/sys/kernel/*', '/sys/kernel/mm/*/*', '/sys/power/*'],
      ...['/sys/module/*/parameters/*', '/sys/firmware/efi/*', '/sys/kernel/debug/*'],
      ...['/sys/bus/pci/rescan', '/sys/class/*/*/uevent'],
    ],
  },
  {
    about: 'control groups',
    files: ['release_agent', 'notify_on_release', 'cgroup.procs', 'tasks'].flatMap((name) => [
      `/sys/fs/cgroup/${name}`,
      `/sys/fs/cgroup/*/${name}`,
    ]),
  },
  {
    about: 'devices',
    files: [
      ...['/dev/mem', '/dev/kmem', '/dev/port', '/dev/kmsg', '/dev/sd*', '/dev/vd*', '/dev/nvme*'],
      ...['/dev/dm-*', '/dev/loop*', '/dev/fuse', '/dev/kvm', '/dev/cpu/*/msr', '/dev/hwrng'],
    ],
  },
];

/** Attempts with a new `/proc` and new mount rights, in a user namespace of the command. */
const NESTED: readonly (readonly [about: string, flags: string, commands: string])[] = [
  [
    'kernel settings, by a /proc of its own',
    '-Urmpf',
    'mount -t proc proc /proc && true >> /proc/sys/kernel/core_pattern',
  ],
  ['kernel settings, by taking the cover away', '-Urm', 'umount -l /proc/sys && true >> /proc/sys/kernel/core_pattern'],
  ['the system, by mounting it again', '-Urm', 'mount -o remount,bind,rw / && true >> "$1"'],
  ['the system, by a mount of its own', '-Urm', 'mount --bind / /mnt && true >> "/mnt$1"'],
];

/**
 * A POSIX shell script that tries to leave the sandbox as an attacker would. `$1` is our file, `$3` the folder of the
 * guard, `$4` the host's IPC namespace. It only opens files and writes nothing, so an existing hole does no harm. It
 * prints what was open.
 */
export const ESCAPE_SCRIPT = [
  'exec 2> /dev/null',
  // `true`, because a failed redirection with a special builtin such as `:` would end the shell.
  'opens() { said=$1; shift; for file do [ -e "$file" ] && true >> "$file" && { echo "open $said"; return; }; done; }',
  ...ATTEMPTS.map(({ about, files }) => `opens '${about}' ${files.join(' ')}`),
  '{ true >> "$3/bwrap" || true >> "$3/socat"; } && echo "open the programs of the sandbox"',
  '[ "$(readlink /proc/self/ns/ipc)" = "$4" ] && echo "open memory segments and message queues of other programs"',
  'mknod /dev/claudewire-probe b 7 0 && echo "open making devices"',
  ...NESTED.map(([about, flags, commands]) => `unshare ${flags} sh -c '${commands}' sh "$1" && echo "open ${about}"`),
  'exit 0',
].join('\n');

/** The openings that the script printed. */
export function openIn(said: string): readonly string[] {
  return [...new Set([...said.matchAll(/^open (.+)$/gm)].map(([, about = '']) => about))];
}
