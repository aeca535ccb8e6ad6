// usage: node run.js [--only TEXT]… [--size BYTES] [--seed N] [--short] [--check]
// Attacks a server, a gateway and a client on every path, each in its own process, and measures how long the target blocks its event loop
// and how much memory it keeps. Writes the figures into docs/reference/promises.md; --check only compares them with the promise.
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureRoad, promise } from './measure.js'
import { lineOf, type Measured, pageWith } from './page.js'
import { roads } from './roads.js'

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
