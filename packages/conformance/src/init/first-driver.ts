import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidOptionError } from 'claudewire';

interface Language {
  /** Files to write, and where each comes from, in the folder `drivers` of the data. */
  readonly files: Readonly<Record<string, string>>;
  /** Commands to run in the folder before the driver can be started. */
  readonly build: readonly string[];
  /** Command line of the driver, from the folder it is in. */
  readonly driver: string;
  readonly needs: string;
}

/** The languages with a kit. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  typescript: {
    files: {
      'driver.mjs': 'template/typescript/driver.mjs',
      'driver-kit.mjs': 'kit/driver-kit.mjs',
      'mini-host.mjs': 'template/typescript/mini-host.mjs',
    },
    build: [],
    driver: 'node driver.mjs',
    needs: 'Node.js 20; JavaScript with types in comments',
  },
  python: {
    files: {
      'driver.py': 'template/python/driver.py',
      'driver_kit.py': 'kit/driver_kit.py',
      'mini_host.py': 'template/python/mini_host.py',
    },
    build: [],
    driver: 'python3 driver.py',
    needs: 'Python 3.10',
  },
  rust: {
    files: {
      'Cargo.toml': 'template/rust/Cargo.toml',
      'src/main.rs': 'template/rust/src/main.rs',
      'src/driver_kit.rs': 'kit/driver_kit.rs',
      'src/mini_host.rs': 'template/rust/src/mini_host.rs',
    },
    build: ['cargo build'],
    driver: './target/debug/my-driver',
    needs: 'Rust 1.70 and the crate serde_json',
  },
};

export interface FirstDriver {
  readonly written: readonly string[];
  readonly build: readonly string[];
  readonly driver: string;
}

/**
 * Writes a first driver and its kit into a folder, which is made if need be. Writes nothing when a file is there already.
 *
 * @param data - The folder of the data package.
 * @throws InvalidOptionError the language has no kit, or a file exists, or the folder cannot be written.
 */
export function writeFirstDriver(name: string, folder: string, data: string): FirstDriver {
  const language = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (language === undefined) {
    const known = Object.keys(LANGUAGES).join(', ');
    const cure = 'For another language, write the driver by hand: DRIVERS.md';
    throw new InvalidOptionError('language', `there is no kit for "${name}", only for ${known}. ${cure}`);
  }
  const { files, build, driver } = language;
  const written = Object.keys(files);
  const taken = written.filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new InvalidOptionError('dir', `${folder} already has ${taken.join(', ')}. Name another folder`);
  }
  try {
    for (const [file, source] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      copyFileSync(join(data, 'drivers', source), join(folder, file));
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidOptionError('dir', `cannot write the driver into ${folder}: ${why}`, { cause });
  }
  return { written, build, driver };
}
