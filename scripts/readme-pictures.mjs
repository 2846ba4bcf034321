/**
 * Small copies of two pictures for the guides, which are in the package too: `docs/page.webp` and `docs/viewer.webp`.
 *
 *   node scripts/readme-pictures.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const WIDTH = 680;
const QUALITY = 0.22;
const PICTURES = {
  'docs/page.webp': 'packages/server/docs/page-light.png',
  'docs/viewer.webp': 'packages/viewer/docs/viewer-light.png',
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  const page = await browser.newPage();
  for (const [small, large] of Object.entries(PICTURES)) {
    const png = `data:image/png;base64,${readFileSync(join(root, large), 'base64')}`;
    const webp = await page.evaluate(shrink, [png, WIDTH, QUALITY]);
    writeFileSync(join(root, small), Buffer.from(webp.slice(webp.indexOf(',') + 1), 'base64'));
  }
} finally {
  await browser.close();
}

/** Runs in the browser. */
async function shrink([source, width, quality]) {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = Math.round((image.naturalHeight * width) / image.naturalWidth);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/webp', quality);
}
