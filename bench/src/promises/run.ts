// Attacks a server, a gateway and a client on every path, each in its own process, and measures how long the target blocks its event loop
// and how much memory it keeps. Writes the figures into docs/reference/promises.md; --check only compares them with the promise.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureRoad, promise } from './measure.js'
import { lineOf, type Measured, pageWith } from './page.js'
import { roads } from './roads.js'

const usage = `usage: npm run promises [-- options]
Attacks a server, a gateway and a client on every path, and prints the longest block of the event loop and the growth of memory.
Without --check and --only, the figures are written to docs/reference/promises.md.

  --only TEXT     only the paths whose name contains this text; may be given several times
  --seconds N     length of each attack; 6 unless given
  --size BYTES    size of the hostile messages; 4000000 unless given
  --seed N        repeats the messages of an earlier run; 1 unless given
  --check         only compares the figures with the promise`
if (process.argv.includes('--help')) {
  console.log(usage)
  process.exit(0)
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    size: { type: 'string', default: String(4_000_000) },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '6' },
    check: { type: 'boolean', default: false },
  },
})

const chosen = roads.filter(
  ({ subject, name }) => values.only.length === 0 || values.only.some((text) => `${subject}: ${name}`.includes(text)),
)
const measured: Measured[] = []
for (const road of chosen) {
  const one = await measureRoad(road, { size: Number(values.size), seed: Number(values.seed), seconds: Number(values.seconds) })
  measured.push(one)
  console.log(lineOf(one))
}

const page = new URL('../../../docs/reference/promises.md', import.meta.url)
if (!values.check && values.only.length === 0) writeFileSync(page, pageWith(readFileSync(page, 'utf8'), measured))
const broken = measured.filter(({ holds }) => !holds)
console.log(
  broken.length === 0
    ? `All ${measured.length} roads hold ${promise.blockMs} ms and ${promise.growthMiB} MiB.`
    : `${broken.length} of ${measured.length} roads are beyond ${promise.blockMs} ms or ${promise.growthMiB} MiB.`,
)
process.exit(broken.length === 0 ? 0 : 1)
