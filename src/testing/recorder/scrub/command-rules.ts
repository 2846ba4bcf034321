/** The rest of a command, also of one that goes on in the next line. */
export const COMMAND = '(?:[^\\n|;&]|\\\\\\n|&(?![&\\s])){0,400}';

const QUOTES = '["\'\\\\]{0,4}';
/** A password, and no flag, reference or file. */
const VALUE = '(?!\\[scrubbed|[-$<|"\'\\\\])[^\\s"\'\\\\]{3,}';

/** Programs with flags that do not say what they are for, each with the flags behind which a password is. */
const FLAGS: readonly (readonly [program: string, flag: string])[] = [
  ['(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|az|oc|cf)\\b[^\\n|;&]{0,80}\\blogin', '-p[ =]{0,3}'],
  ['redis-cli', '-a\\s{1,3}'],
  ['ssh-keygen', '-[NP]\\s{0,3}'],
  ['zip', '-P\\s{0,3}'],
  ['7z\\w?', '-p'],
  ['ldap\\w{3,12}', '-w\\s{0,3}'],
  ['(?:sqlcmd|bcp)', '-P\\s{0,3}'],
  ['smbclient', '(?:-U|--user)[ =]{0,3}["\']?[^\\s%"\']{1,64}%'],
  ['https?', '(?:-a|--auth)[ =]{0,3}["\']?[^\\s:"\']{1,64}:'],
  ['openssl', '(?:-k|-(?:passin|passout|pass)\\s{1,3}["\']?pass:)\\s{0,3}'],
  ['(?:keytool|jarsigner)', '-(?:store|key|deststore|destkey|srcstore|srckey)pass\\s{1,3}'],
];

/** Flags that take a password from the input. */
const FROM_INPUT = '(?:--password-stdin|--with-token|--passphrase-fd|--pass-stdin|\\bsudo\\s{1,3}-S\\b)';

/** Passwords of commands that are told by where they stand. For the flag `g`. */
export const commandSecrets: readonly string[] = [
  ...FLAGS.map(([program, flag]) => `(?<=(?<![\\w./-])${program}\\b${COMMAND}\\s${flag}${QUOTES})${VALUE}`),
  `(?<=\\bvault\\s{1,3}login\\s{1,3}(?:-\\S{1,80}\\s{1,3}){0,4}${QUOTES})(?!\\w{1,40}=)(?=\\S{0,64}\\d|\\S{16})${VALUE}`,
  `(?<=\\b(?:echo|printf)\\s{1,3}(?:-\\w{1,3}\\s{1,3})?(?:["']?%s[\\\\n]{0,3}["']?\\s{1,3})?${QUOTES})(?!%s)${VALUE}(?=${QUOTES}\\s{0,3}\\|[^\\n|]{0,200}${FROM_INPUT})`,
  `(?<=${FROM_INPUT}${COMMAND}<<<\\s{0,3}${QUOTES})${VALUE}`,
];

/** Where this finds nothing, neither do they. */
export const COMMAND_HINT =
  /curl|mysql|mariadb|sshpass|machine|login|redis-cli|ssh-keygen|zip|7z|ldap|sqlcmd|bcp|smbclient|https?\s|openssl|pass |-stdin|-token|sudo|-fd/;
