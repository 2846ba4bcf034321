import '../../helpers/property-seed.js';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Scrubber } from '../../../src/testing/recorder/scrub/scrubber.js';
import { RecordedCli } from './recorded-cli.js';

const RECORDINGS = new URL('../../fixtures/recordings/', import.meta.url);
const ENV = {
  HOME: '/home/ada',
  TMPDIR: '/var/tmp/ada',
  CLAUDE_CONFIG_DIR: '/home/ada/conf',
  USER: 'adalove',
  MY_API_KEY: 'hunter2-äé"x',
  MAX_OUTPUT_TOKENS: '128000',
};
const scrubber = (texts: string[] = []) => new Scrubber({ env: ENV, cwd: '/home/ada/project one', texts });

const scrubbed = (scrub: Scrubber, value: unknown): unknown => JSON.parse(scrub.json(JSON.stringify(value), 'x'));

/** Each holds `SECRET`, which goes; the rest may go too. */
const PLANTED = [
  'see {"token": "SECRET"} there',
  '{"token": "SECRET"}',
  '{"token":{"value":"SECRET"}}',
  '{"tokens":["SECRET"],"x":1}',
  '{"apiKeys":["SECRET"]}',
  '{"githubToken":"SECRET"}',
  'password: SECRET',
  'a "api_key":"SECRET"',
  'client_secret=SECRET',
  'x-api-key: SECRET',
  'Authorization: Bearer SECRET',
  'ANTHROPIC_API_KEY = "with space SECRET"',
  '--token=SECRET',
  'run --api-key SECRET now',
  'https://SECRET@host/x',
  'http://user:pa@SECRET@host',
  'say \\"password\\": \\"a b SECRET\\"',
  'x \\u0073k-ant-SECRET',
  'x \\\\u0073k-ant-SECRET',
  'stripe_key=SECRET',
  'my_key: SECRET',
  'STRIPE_KEY = SECRET',
  'PASSWORD=l4,eSECRET',
  'password=abc{SECRET}def',
  'client_secret=abc.def-ghi,SECRET',
  "MY_TOKEN='it is; SECRET'",
  'PASSWORD=abcdef\\ SECRET',
  'token=pa$$;SECRET',
  'psql postgres://admin:l/SECRET@db.internal/x',
  'redis://:l?SECRET@cache:6379',
  'Authorization: ApiKey SECRET',
  '"Authorization": "SSWS SECRET"',
  'Authorization: Api-Token SECRET',
  'Authorization: a,b;SECRET',
  '-----BEGIN PGP PRIVATE KEY BLOCK-----\\nSECRET\\n-----END PGP PRIVATE KEY BLOCK-----',
  'OPENAI_API_KEY_OLD=SECRET',
  'STRIPE_KEY_OLD_2=SECRET',
  'TOKEN_1=SECRET',
  'password2=SECRET',
  '{"password2":"SECRET"}',
  '[["x-api-key","SECRET"]]',
  '[[1,[ "x-api-key" , "SECRET"]]]',
  '{"name":"DB_PASSWORD","value":"SECRET"}',
  '[{"key":"db-password","type":"text","value":["SECRET"]}]',
  '{"value":"SECRET","name":"DB_PASSWORD"}',
  '[{"name":"LANGUAGE","value":"en"},{"value":"SECRET","type":"text","key":"db-password"}]',
  '<settings><password>SECRET</password></settings>',
  '<ns:api_key>\\n  SECRET </ns:api_key>',
  'curl -u ada:SECRET https://x.org',
  'curl -s --user "ada:SECRET" https://x.org',
  'curl --proxy-user=ada:SECRET -x p https://x.org',
  'mysql -h db -u root -pSECRET shop',
  'mysqldump -pSECRET shop',
  'sshpass -p SECRET ssh x',
  'machine x.org login ada password SECRET',
  'machine x.org\nlogin ada\npassword SECRET',
  'machine x.org\n\tlogin ada\n\tpassword SECRET\n',
  '     1\tmachine x.org\n     2\tlogin ada\n     3\tpassword SECRET',
  '1→machine x.org\n2→login ada\n3→password SECRET',
  'machine x.org login ada account dev password SECRET',
  'machine x.org password SECRET login ada',
  'default login ada password SECRET',
  '{"auths":{"https://index.docker.io/v1/":{"auth":"SECRETSECRET"}}}',
  'GET https://s3.x.org/a?X-Amz-Date=1&X-Amz-Signature=SECRET1SECRET1',
  'https://maps.x.org/api?key=SECRET1SECRET1',
  'https://blob.x.org/c?sv=1&sig=SECRET1SECRET1%3D',
  '{"mcpServers":{"a":{"headers":{"X-Custom":"SECRET"}}}}',
  '{"args":["-y","pkg","--token","SECRET"]}',
  '{"args":["--api-key","SECRET","--verbose"]}',
  '{"x":["--db-password" , "SECRET"]}',
  '{"headers":["X-Custom: SECRET","Accept: text/html"]}',
  '{"headers":[["X-Custom","SECRET"],["accept","x"]]}',
  '{"headers":[{"name":"X-Custom","value":"SECRET"}]}',
  '{"requestHeaders":"Accept: x\\nX-Custom: SECRET"}',
  'curl -sS https://x.org?a=1&b=2 -u ada:SECRET',
  'curl -sSu ada:SECRET https://x.org',
  "curl 'https://x.org?a=1&b=2' -u 'ada:SECRET'",
  "mysql -u root -p'SECRET' shop",
  'API_KEY       = SECRET',
  'os.environ["API_KEY"] = "SECRET"',
  "$config['db_password'] = 'SECRET'",
  '[{"Name":"DB_PASSWORD","Value":"SECRET"}]',
  '{"ParameterKey":"DbPassword","ParameterValue":"SECRET"}',
  '{"auth":{"user":"ada","pass":"SECRET"}}',
  '{"user":"ada","pwd":"SECRET"}',
  "auth: { user: 'ada', pass: 'SECRET' }",
  'Server=db;Uid=ada;Pwd=SECRET;',
  "spawn('x', ['--token', 'SECRET'])",
  '{"config":"{\\"args\\":[\\"--access-token\\",\\"SECRET\\"]}"}',
  'DB_PASSWORD=(=4zip[SECRET',
  'DB_PASSWORD=GAE(*GI*SECRET',
  'DB_PASSWORD=;CDo=SECRET',
  'DB_PASSWORD=2&bV-SECRET',
  `DB_PASSWORD=a"b'SECRET`,
  'password: Ab|x9!SECRET',
  'password: GAE(*GI*SECRET',
  "--password '{(-SECRET'",
  "--password '-a b SECRET' x",
  "postgres://ada:a'SECRET@db/x",
  'see {"name":"DB_PASSWORD","value":"SECRET"}',
  'see {\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"SECRET\\"}',
  'see {"value":"SECRET","name":"DB_PASSWORD"}',
  'see {"auth":"SECRETSECRET"}',
  'token:                SECRET',
  'password: &pw SECRET',
  'password: !!str SECRET',
  `x = {'password': b'SECRET'}`,
  "password = '''SECRET'''",
  'SSHPASS=SECRET',
  'DBPASS=SECRET',
  '{"dbPass":"SECRET","userPwd":"SECRET"}',
  'psk="SECRET"',
  '{"bindpw":"SECRET"}',
  '{"SecretString":"SECRET"}',
  'Ocp-Apim-Subscription-Key: SECRET',
  '_auth = aGVsbG8tSECRET=',
  '//registry.x.org/:_auth=aGVsbG8tSECRET',
  '{"_auth":"SECRET"}',
  '    client-key-data: SECRET',
  '{"client-key-data":"SECRET"}',
  'apiKey := "SECRET"',
  'let token: string = "SECRET"',
  "const token: Readonly<string> = 'SECRET'",
  'let api_key: &str = "SECRET";',
  "headers.set('X-Api-Key', 'SECRET')",
  '.header("X-Auth-Token", "SECRET")',
  '.withHeader("X-Auth", "SECRET")',
  '[Environment]::SetEnvironmentVariable("API_TOKEN", "SECRET")',
  'setenv("DB_PASSWORD", "SECRET", 1);',
  'ENV DB_PASSWORD SECRET',
  'setenv DB_PASSWORD SECRET',
  'set -x DB_PASS SECRET',
  'cd x; set -gx API_TOKEN "SECRET"',
  'setx API_TOKEN SECRET',
  '<add key="ApiKey" value="SECRET"/>',
  '<add value="SECRET" key="ApiKey" />',
  '<string name="api_key">SECRET</string>',
  'docker login -u ada -p SECRET registry.x.org',
  'az login --service-principal -u a -p SECRET --tenant t',
  'redis-cli -h x -a SECRET ping',
  'echo SECRET | docker login --password-stdin',
  "printf '%s' 'SECRET' | gh auth login --with-token",
  "echo -n 'SECRET' | sudo -S ls",
  'gh auth login --with-token <<< SECRET',
  'vault login SECRET1SECRET1',
  'vault login -no-print SECRET1SECRET1',
  'ssh-keygen -t ed25519 -N SECRET -f x',
  'http -a ada:SECRET GET x.org',
  'openssl rsa -passin pass:SECRET -in x',
  'zip -P SECRET a.zip b',
  '7z x a.7z -pSECRET',
  'ldapsearch -D cn=x -w SECRET',
  'smbclient //h/s -U ada%SECRET',
  'sqlcmd -U sa -P SECRET',
  'keytool -list -storepass SECRET',
];

test.each(PLANTED)('%s, as it is, in a frame, and in JSON in a frame', (template) => {
  const text = template.replaceAll('SECRET', 'plainvalue1');
  expect(scrubber().text(text, 'err')).not.toContain('plainvalue1');
  const frames = [text, [text], JSON.stringify({ text })].map((value) => JSON.stringify({ type: 'user', value }));
  const own = /^[{[].*[}\]]$/.test(text) && !text.includes('\\"') ? [text] : [];
  for (const line of [...frames, ...own]) {
    expect(scrubber().isClean(line)).toBe(false);
    expect(scrubber().json(line, 'in')).not.toContain('plainvalue1');
  }
});

test.each([
  'docker run -u 1000:1000 img',
  'mysql -h db -u root shop',
  'git log -p password.txt',
  '{"headers":{"content-type":"application/json","accept":"*/*"}}',
  '{"args":["--verbose","true","--model","opus"]}',
  '{"args":["--token-limit","4000"]}',
  '{"args":["--max-tokens","1000"]}',
  '{"args":["--no-token","--print","x"]}',
  '{"args":["--token","--verbose"]}',
  'mysql -h db -port 3306',
  'please use the login form, password field below',
  '--use-token "prompt"',
  'constructor(private token: CancellationToken) {}',
  'interface A { apiKey: SecretText; token: Array<string>; }',
  'login({ token: this.token, password: readPassword(), secret: options.secret })',
  '{"cwd":"/w","pwd":"/home/x/project","pass":"12"}',
  '{"pass":"yes","headers":["Name","Age"]}',
  '{"headers":["Accept: x","content-type: y"]}',
  'PWD=/home/x/project',
  'gsk_rounded_rect_init_from_rect_x fw_cfg_add_extra_pci_roots_initial r8_g8_b8_a8_unorm_srgb_format_texture',
  '{"auth":"none"}',
  'https://x.org/?key=name&sort=asc',
  'sk-learn-pipeline-with-many-words-in-it',
  'password = var.db_password',
  'password: PropTypes.string.isRequired',
  'token: z.infer<typeof Token>',
  'let secret = env::var("SECRET").unwrap();',
  'PASSWORD="$DB_PASSWORD"',
  'PASSWORD=$(cat /run/secrets/pw)',
  'token == expectedTokenKind',
  'read({ token: read(x), tokens: 12345678901, secret: Array<string>; })',
  'tokens=123456&page=2',
  'pass: everything',
  '"google-auth": "^9.1.2"',
  'auth: none, use_auth = enabled_for_all',
  `headers.set('Authorization', \`Basic \${encoded}\`)`,
  'set("Access-Control-Allow-Credentials", "true")',
  "params.set('token', token)",
  "setProperty('max_thinking_tokens', 'maxThinkingTokens ?? undefined')",
  'apiKey := os.Getenv("API_KEY")',
  'let token: string = readToken()',
  'ENV PATH /usr/bin',
  'set -x; env DB_PASSWORD',
  'docker run -p 8080:80 img',
  'docker login -u ada --password-stdin',
  'docker login -p $PASSWORD x',
  'redis-cli -p 6379 ping',
  'vault login command',
  "ssh-keygen -t ed25519 -N '' -f x",
  'echo $PASSWORD | docker login --password-stdin',
  'echo done | sudo tee x',
  `<add key="ApiKey" value="\${API_KEY}"/>`,
  '<add key="Language" value="english"/>',
  'zip -r a.zip b',
])('%s stays', (text) => {
  expect(scrubber().text(text, 'x')).toBe(text);
});

test.each([
  'curl https://x.org \\\n  -H "a: b" \\\n  -u ada:plainvalue1',
  'env:\n  - name: DB_PASSWORD\n    value: plainvalue1\n',
  '- name: "db_key"\r\n  value: "plainvalue1"',
  '5\t- name: DB_PASSWORD\n6\t  value: plainvalue1',
  '     5→- name: DB_PASSWORD\n     6→  value: plainvalue1',
  '+- name: DB_PASSWORD\n+  value: plainvalue1',
  'password: |\n  another\n  plainvalue1\nx: 1',
  'password: >-\n  plainvalue1\n',
  'password = """\nplainvalue1"""',
  'dev:\n    pass: plainvalue1',
  '\u001b[32mDB_PASSWORD\u001b[0m=\u001b[33mplainvalue1\u001b[0m',
  '\u001b[34m"password"\u001b[39m\u001b[1m:\u001b[22m \u001b[32m"plainvalue1"\u001b[39m',
  'Bearer \u001b[1;32mplainvalue1\u001b[0m',
])('%j is found over several lines', (text) => {
  expect(scrubber().text(text, 'x')).not.toContain('plainvalue1');
  const line = JSON.stringify({ type: 'user', text });
  expect(scrubber().isClean(line)).toBe(false);
  expect(scrubber().json(line, 'in')).not.toContain('plainvalue1');
});

test.each([
  'ghp_a1B2c3D4e5F6g7H8i9J0',
  'sk-ant-api03-abcdef',
  'sk-proj-a1B2c3D4e5F6g7H8i9J0k1',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOi.eyJzdWIiOi.c2ln',
])('%s is found behind the end of a line, a tab, a colour, and encoded blanks', (token) => {
  for (const before of ['x\n', '1\t', 'a\r\n', '\u001b[32m', '\u001b[1;33m', 'a=%20', '\\x3d', 'out: {"a":"b\\n']) {
    const line = JSON.stringify({ type: 'user', text: `${before}${token}` });
    expect(scrubber().isClean(line)).toBe(false);
    expect(scrubber().json(line, 'in')).not.toContain(token);
    expect(scrubber().text(`${before}${token}`, 'in')).not.toContain(token);
  }
});

test('values that are known are found in a URL, in Base64, and without their address', () => {
  const env = { MY_TOKEN: 'a b/c?d=é-1234', DATABASE_URL: 'postgres://ada:l%40ve-1234@db/x' };
  const scrub = new Scrubber({ env, cwd: '/w' });
  for (const value of [env.MY_TOKEN, 'l%40ve-1234', 'l@ve-1234']) {
    const bytes = Buffer.from(value);
    for (const form of [value, encodeURIComponent(value), bytes.toString('base64'), bytes.toString('base64url')]) {
      expect(scrub.text(`x=${form} y`, 'x')).toMatch(/^x=\[scrubbed:env-\w+\]=* y$/);
    }
  }
  for (const before of ['', 'a', 'ab', 'ada:']) {
    for (const dialect of ['base64', 'base64url'] as const) {
      const inside = Buffer.from(`${before}${env.MY_TOKEN}:x`).toString(dialect);
      expect(scrub.text(inside, 'x')).toMatch(/^[\w-]{0,7}\[scrubbed:env-MY_TOKEN\].{0,6}$/);
    }
  }
  const learning = new Scrubber({ env: {}, cwd: '/w' });
  learning.json(JSON.stringify({ password: 'as 1234 as?' }), 'x');
  expect(learning.text(Buffer.from('as 1234 as?').toString('base64'), 'x')).toMatch(/^\[scrubbed:secret-field\]=*$/);
});

test('values that are known are found in Base64 over several lines, wherever a line ends', () => {
  const env = { MY_TOKEN: 'sk-live-0123456789-abcdefghij-0123456789' };
  const scrub = new Scrubber({ env, cwd: '/w' });
  for (let before = 0; before < 60; before += 1) {
    const whole = `${'x'.repeat(before)}MY_TOKEN=${env.MY_TOKEN}\n${'y'.repeat(90)}`;
    for (const [columns, end] of [
      [76, '\n'],
      [64, '\r\n'],
      [20, '\n  '],
    ] as const) {
      const lines =
        Buffer.from(whole)
          .toString('base64')
          .match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
      const frame = JSON.stringify({ type: 'user', text: `$ env | base64\n${lines.join(end)}\n` });
      for (const text of [frame, JSON.stringify({ type: 'user', text: `out: ${frame}` })]) {
        expect(scrub.isClean(text)).toBe(false);
        const after = scrub.json(text, 'in');
        const joined = after.replace(/\\+[rn]|\s/g, '');
        expect(Buffer.from(joined.replace(/.*base64/, ''), 'base64').toString('latin1')).not.toContain(
          '0123456789-abc',
        );
        expect(after).toContain('[scrubbed:env-MY_TOKEN]');
      }
    }
  }
  const harmless = `$ cat logo.png | base64\n${`${'QUJD'.repeat(19)}\n`.repeat(50)}`;
  expect(scrub.text(harmless, 'x')).toBe(harmless);
});

test('values that are known are found in JSON that is part of a text, and by their lines', () => {
  const MY_TOKEN = 'first "line" \\ of it\nsecond-line-of-it';
  const scrub = new Scrubber({ env: { MY_TOKEN, NUMBER_TOKEN: '123456' }, cwd: '/w' });
  const inner = JSON.stringify({ key: MY_TOKEN });
  for (const text of [inner, JSON.stringify({ inner }), MY_TOKEN.replace('\n', '\r\n'), 'second-line-of-it']) {
    const line = JSON.stringify({ type: 'user', text: `out: ${text}` });
    expect(scrub.isClean(line)).toBe(false);
    expect(scrub.json(line, 'in')).not.toMatch(/of it|of-it/);
  }
  expect(scrub.text('1234567 a123456 123456', 'x')).toBe('1234567 a123456 [scrubbed:env-NUMBER_TOKEN]');
});

test('secrets by the names of their fields go, whatever their names and values are', () => {
  const name = fc.constantFrom(
    ...['token', 'tokens', 'apiKeys', 'password', 'client_secret', 'X-Api-Key', 'dbPassword'],
  );
  fc.assert(
    fc.property(name, fc.stringMatching(/^[a-z]{9}[0-9]{3}$/), fc.nat(3), (key, value, depth) => {
      let held: unknown = depth % 2 === 0 ? value : [value];
      for (let level = 0; level < depth; level += 1) held = { value: held };
      const line = JSON.stringify({ type: 'user', [key]: held });
      expect(scrubber().isClean(line)).toBe(false);
      expect(scrubber().json(line, 'in')).not.toContain(value);
    }),
  );
});

test('what is scrubbed leaves the numbers beside it as they were written', () => {
  const line = '{ "a":12345678901234567890,"e":1e400, "max_tokens":4000,"t":"sk-ant-abcdef","password":123456}';
  expect(scrubber().json(line, 'x')).toBe(
    '{ "a":12345678901234567890,"e":1e400, "max_tokens":4000,"t":"[scrubbed:anthropic-key]","password":"[scrubbed:secret-field]"}',
  );
});

describe('the value of a secret field is looked for elsewhere', () => {
  const afterwards = (frame: object, text: string) => {
    const scrub = scrubber();
    scrub.json(JSON.stringify(frame), 'out');
    return scrub.text(text, 'out');
  };
  const HIDDEN = '[scrubbed:secret-field]';

  test.each([
    ['as a word', { token: 'abcd1234' }, 'it is abcd1234.', `it is ${HIDDEN}.`],
    ['after an escape', { token: 'abcd1234' }, 'a\\nabcd1234', `a\\n${HIDDEN}`],
    ['with signs at its ends', { token: '%abcd12%' }, 'x%abcd12%y', `x${HIDDEN}y`],
    ['from JSON in a text', { text: '{"secret":"abcdefghi"}' }, 'abcdefghi', HIDDEN],
    ['not in a longer word', { token: 'word123' }, 'word12345 aword123 word123_', 'word12345 aword123 word123_'],
    ['not when it is a short word', { password: 'test' }, 'npm run test:unit', 'npm run test:unit'],
    ['not when it is a year', { password: '2024' }, 'in 2024', 'in 2024'],
    ['not when it may be a count or a word', { tokens: ['word-number-1'] }, 'word-number-1', 'word-number-1'],
    ['not when it is very long', { token: 'ab1'.repeat(2000) }, 'ab1'.repeat(2000), 'ab1'.repeat(2000)],
  ])('%s', (_, frame, before, after) => {
    expect(afterwards(frame, before)).toBe(after);
  });

  test('in the line of the field, also before it', () => {
    const line = JSON.stringify({ text: 'use abcd1234', headers: { 'x-api-key': 'abcd1234' }, after: 'abcd1234' });
    expect(JSON.parse(scrubber().json(line, 'out'))).toEqual({
      text: `use ${HIDDEN}`,
      headers: { 'x-api-key': HIDDEN },
      after: HIDDEN,
    });
  });

  test('but not in names of tools, ids and types', () => {
    const scrub = scrubber();
    scrub.json('{"token":"WebFetch1"}', 'out');
    const frame = {
      type: 'WebFetch1',
      tool_name: 'WebFetch1',
      request_id: 'WebFetch1',
      toolUseID: 'WebFetch1',
      content: [{ type: 'tool_use', id: 'WebFetch1', name: 'WebFetch1', input: { url: 'WebFetch1' } }],
    };
    const after = JSON.parse(scrub.json(JSON.stringify(frame), 'out')) as typeof frame;
    expect(after).toEqual({ ...frame, content: [{ ...frame.content[0], input: { url: HIDDEN } }] });
  });

  test('at the cost of one expression a line, however many values it has', () => {
    const scrub = scrubber();
    const built: string[] = [];
    const construct = (RealRegExp: RegExpConstructor, args: [string, string]) => {
      built.push(args[0]);
      return new RealRegExp(...args);
    };
    vi.stubGlobal('RegExp', new Proxy(RegExp, { construct }));
    const secrets = Object.fromEntries(
      Array.from({ length: 4000 }, (_, index) => [`${index}_token`, `value-${index}`]),
    );
    const line = JSON.stringify({ content: JSON.stringify(secrets), list: { secrets: Object.values(secrets) } });
    const after = scrub.json(line, 'out');
    vi.unstubAllGlobals();
    expect(after).not.toContain('value-');
    expect(built).toHaveLength(1);
    expect(built[0]?.length).toBeLessThan(5000);
  });

  test('and the oldest are forgotten', () => {
    const scrub = scrubber();
    for (let index = 0; index < 300; index += 1) scrub.json(`{"token":"value-${index}"}`, 'out');
    expect(scrub.text('value-0', 'x')).toBe('value-0');
    expect(scrub.text('value-299', 'x')).toBe(HIDDEN);
  });
});

test('the recordings of this repository have nothing to scrub but paths', () => {
  const found = new Map<string, string[]>();
  for (const file of readdirSync(RECORDINGS).filter((name) => name.endsWith('.jsonl'))) {
    const all = new Set<string>();
    const scrub = new Scrubber({ env: {}, cwd: '/nowhere' }, (kind) => all.add(kind));
    for (const line of readFileSync(new URL(file, RECORDINGS), 'utf8').split('\n')) {
      if (line === '') continue;
      const { data } = JSON.parse(line) as { data: unknown };
      const source = JSON.stringify(data);
      const after = JSON.stringify(scrubbed(scrub, data));
      if (all.size === 0) expect(after).toBe(source);
    }
    const kinds = [...all].filter((kind) => !/^(?:path|user|host)-/.test(kind));
    if (kinds.length > 0) found.set(file, kinds);
  }
  // Prints its whole environment, with a made-up key and a proxy's login.
  expect([...found]).toEqual([['sandbox-start.jsonl', ['anthropic-key', 'url-credentials', 'assigned-secret']]]);
});

describe('a text', () => {
  test.each([
    ['a key by its look', 'use sk-ant-api03-AbC_12-x now', 'use [scrubbed:anthropic-key] now'],
    ['a bearer token', 'Authorization: Bearer abc.DEF-123456==', 'Authorization: Bearer [scrubbed:bearer-token]'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', '[scrubbed:aws-key]'],
    ['a JWT', 'x eyJhbGciOi.eyJzdWIiOiI.abc-_1 y', 'x [scrubbed:jwt] y'],
    ['a variable assignment', 'export GITHUB_TOKEN=abcdef123', 'export GITHUB_TOKEN=[scrubbed:assigned-secret]'],
    ['a login in an address', 'https://me:pw@host/x', 'https://[scrubbed:url-credentials]@host/x'],
    ['a value of the environment', 'it is hunter2-äé"x!', 'it is [scrubbed:env-MY_API_KEY]!'],
    ['the folder of the run', 'in /home/ada/project one/a.ts', 'in /work-dir/a.ts'],
    ['the home folder', '/home/ada/.bashrc', '/home-dir/.bashrc'],
    ['not a longer name', '/home/adam/x', '/home/adam/x'],
    ['the configuration folder', '/home/ada/conf/projects', '/config-dir/projects'],
    ['a dashed folder', 'projects/-home-ada-project-one/s.jsonl', 'projects/-work-dir/s.jsonl'],
    ['a user name', 'adalove: hi', 'user-name: hi'],
    ['not a part of a word', 'adaloves', 'adaloves'],
    ['not a count', '128000 tokens', '128000 tokens'],
    ['not an address', 'https://example.com/a@b https://a.b:8080/c@d http://localhost:3000?x=a@b ssh://git@host/x'],
    ['not addresses of several hosts', 'mongodb://h1:27017,h2:27017/db?x=a@b http://[::1]:3000/@fs git@host:path'],
    ['not `key` in a word', 'monkey=banana1 keyboard: qwerty1 key: Enter-it'],
    ['not keys of a database', 'primary_key=user_id cache_key: users-1'],
    [
      'not numbers of tokens',
      '(max_tokens: 4096) [tokens=120000] {"input_tokens":4096,"a":[{"output_tokens":140960}]}',
    ],
    ['not the word token', 'A token is a word; tokens are words. Which token? This token.'],
    ['not a reference', `password=\${DB_PASSWORD} token: {type:String}`],
    ['not a short word that ends a phrase', 'The token: first, then a password: none.'],
    ['not plain words', 'The bearer of tokens has a key: none', 'The bearer of tokens has a key: none'],
  ])('%s', (_, before, after = before) => {
    expect(scrubber().text(before, 'here')).toBe(after);
  });

  test('a given text', () => {
    expect(scrubber(['Project X']).text('On Project X', 'x')).toBe('On [scrubbed:given-text]');
  });
});

test.each([
  [{ required: ['password', 'email-address'], properties: { token: { type: 'string' } } }],
  [{ list: ['x-api-key', 'abcd1234'] }],
  [{ headers: [['accept', 'text/html-1', 'token']] }],
  [{ name: 'LANGUAGE', value: 'en-GB-1' }],
  [[{ name: 'DB_PASSWORD' }, { value: 'another-1' }]],
  [{ value: 'en-GB-1', name: 'LANGUAGE' }],
  [[{ value: 'another-1' }, { name: 'DB_PASSWORD' }]],
  [{ text: 'a <token> is <b>a word</b>, <max_tokens>4096</max_tokens>, <password></password>' }],
])('innocent JSON stays: %j', (value) => {
  expect(scrubbed(scrubber(), value)).toEqual(value);
});

test('account data goes from the answer to initialize, and from what comes after it', () => {
  const scrub = scrubber();
  const answer = {
    type: 'control_response',
    response: { account: { email: 'ada@example.org', organization: 'Engines', tokenSource: 'x' } },
  };
  expect(scrubbed(scrub, answer)).toEqual({
    type: 'control_response',
    response: {
      account: { email: '[scrubbed:account-email]', organization: '[scrubbed:account-organization]', tokenSource: 'x' },
    },
  });
  expect(scrub.text('mail ada@example.org', 'out')).toBe('mail [scrubbed:account-email]');
});

/** Each is looked for in the file, as it is and as it stands inside JSON. */
const SECRETS = {
  literal: 'hunter2-äé"x',
  key: 'sk-ant-api03-Zz_y-1234567890',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  folder: '/home/ada/project one',
};
const leaks = (text: string) =>
  Object.entries(SECRETS).filter(
    ([, secret]) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
  );

test('a secret planted anywhere in a frame does not stay', () => {
  const planted = fc
    .tuple(fc.constantFrom(...Object.values(SECRETS)), fc.string(), fc.string())
    .map(([secret, before, after]) => `${before} ${secret} ${after}`);
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      planted,
      fc.string(),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(planted, fc.string()), tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.boolean(), (value, isNested) => {
      const scrub = scrubber();
      // A tool's streamed input is JSON inside JSON.
      const frame = { type: 'user', value: isNested ? JSON.stringify(value) : value };
      const line = JSON.stringify(frame);
      const written = scrub.isClean(line) ? line : JSON.stringify(scrubbed(scrub, frame));
      expect(leaks(written)).toEqual([]);
    }),
  );
});

test('a secret split over pieces does not stay', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(SECRETS)), fc.array(fc.nat(60), { maxLength: 8 }), (secret, cuts) => {
      const text = `before ${secret} after`;
      const places = [...new Set(cuts)].filter((cut) => cut < text.length).sort((a, b) => a - b);
      const pieces = [0, ...places].map((start, index) => text.slice(start, places[index]));
      const after = scrubber().pieces(pieces, 'x');
      expect(after).toHaveLength(pieces.length);
      expect(leaks(after.join(''))).toEqual([]);
      expect(after.join('')).toMatch(/^before .* after$/);
    }),
  );
});

test('the recorder keeps a secret out of the file wherever it passes, and passes it on', async () => {
  const cli = new RecordedCli(
    `process.stderr.write('key ' + process.env.MY_API_KEY + '\\n'); process.stdin.pipe(process.stdout);`,
    { scrubTexts: ['Project X'] },
  );
  const { key, literal, jwt } = SECRETS;
  const delta = (text: string) => ({
    type: 'stream_event',
    parent_tool_use_id: null,
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  });
  const lines = [
    { type: 'control_request', request: { subtype: 'initialize', headers: { Authorization: 'tiny' } } },
    delta('it is sk-a'),
    delta('nt-api03-Zz_y-'),
    delta('1234567890 so'),
    { type: 'stream_event', event: { type: 'content_block_stop', index: 0 } },
    { type: 'user', message: { content: [`${literal} ${jwt} Project X`] } },
    `no frame ${key}`,
  ];
  const sent = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const run = cli.start(['--settings', JSON.stringify({ env: { X_TOKEN: 'tok-in-argv' } }), `--append=${key}`], {
    MY_API_KEY: literal,
  });
  run.child.stdin.end(`${sent.join('\n')}\n`);
  const { stdout } = await run.ended;
  expect(stdout.toString()).toBe(`${sent.join('\n')}\n`);
  const { text } = cli;
  for (const secret of [...Object.values(SECRETS), 'Zz_y', 'Project X', 'tok-in-argv', 'tiny', cli.folder]) {
    expect(text).not.toContain(secret);
  }
  const deltas = cli.data('out').slice(1, 4) as { event: { delta: { text: string } } }[];
  expect(deltas.map((each) => each.event.delta.text)).toEqual(['it is [scrubbed:anthropic-key]', '', ' so']);
  expect(cli.data('meta').at(-1)).toMatchObject({ event: 'scrubbed' });
});

test('without scrubbing everything stays', async () => {
  const cli = new RecordedCli('process.stdin.pipe(process.stdout);', { scrub: false });
  const run = cli.start();
  run.child.stdin.end(`${JSON.stringify({ key: SECRETS.key })}\n`);
  await run.ended;
  expect(cli.data('in')).toEqual([{ key: SECRETS.key }]);
});
