import { fileURLToPath } from 'node:url';

const BUILT = fileURLToPath(new URL('../../../../.build/viewer.html', import.meta.url));

let building: Promise<string> | undefined;

/** Path of the page, built from the source once for each file of tests. */
export function template(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  // A script of Node that has no types.
  const module = (await import(new URL('../../scripts/build-page.mjs', import.meta.url).href)) as {
    readonly buildPage: (file: string) => Promise<string>;
  };
  return module.buildPage(BUILT);
}
