/** 500 requests for one address, one after the other: `client.mjs URL`. Writes how long they took, in milliseconds. */
const [, , url = ''] = process.argv;
const times = [];
for (let index = 0; index < 500; index += 1) {
  const began = performance.now();
  await (await fetch(url)).text();
  times.push(performance.now() - began);
}
times.sort((a, b) => a - b);
const at = (share) => Number(times[Math.floor(times.length * share)].toFixed(2));
process.stdout.write(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));
