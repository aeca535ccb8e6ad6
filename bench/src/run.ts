// Runs every measure against the bare controls and prints a table.
import { Fleet } from './fleet.js'
import { type Measure, measures, type Run } from './measures.js'
import { readOptions } from './options.js'
import { control, peers, setupText, toolwire } from './subjects.js'
import { headText, holds, type Row, rowText } from './table.js'

const usage = `usage: npm run bench [-- options]
Measures this library against bare controls and other libraries, and prints a table.

  --only MEASURE      only this measure; may be given several times
  --quick             short slices, and other libraries only where they are needed
  --no-peers          without other libraries
  --connections N     concurrent calls to a gateway in the measures of replicas; 16 unless given
  --check             exits with 1 if a bound is missed
  --json              prints JSON

Measures: ${measures.flatMap(({ scales }) => scales.map(({ name }) => name)).join(', ')}`
if (process.argv.includes('--help')) {
  console.log(usage)
  process.exit(0)
}

const options = readOptions(process.argv.slice(2))
const subjects = [control, toolwire, ...(options.peers ? peers : [])]
const names = subjects.map((subject) => subject.name)
const fleet = new Fleet()

const reported = new Set<string>()
const tell = (text: string) => {
  if (!reported.has(text)) console.error(`skipped: ${text}`)
  reported.add(text)
}

const rows: Row[] = []
if (!options.json) console.log(`${setupText(subjects)}${headText(names)}`)
for (const measure of selected(options.only)) await runMeasure(measure)

if (options.json) console.log(JSON.stringify(rows, null, 2))
process.exit(options.check && rows.some(missed) ? 1 : 0)

async function runMeasure(measure: Measure): Promise<void> {
  const taking = options.quick && !measure.quickPeers ? subjects.filter((subject) => !subject.peer) : subjects
  const run: Run = { fleet, subjects: taking, options, tell }
  const readings = await measure.run(run)
  for (const [index, scale] of measure.scales.entries()) {
    const row = { scale, readings: readings[index] ?? [] }
    // The measure has already reported that something it needs is not installed.
    if (row.readings.length === 0 && measure.maySkip) continue
    rows.push(row)
    if (!options.json) console.log(rowText(row, names, toolwire.name))
  }
}

function selected(only: readonly string[]): readonly Measure[] {
  const known = measures.flatMap((measure) => measure.scales.map((scale) => scale.name))
  const unknown = only.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw new Error(`Unknown measure: ${unknown.join(', ')}. Known measures: ${known.join(', ')}`)
  return only.length === 0 ? measures : measures.filter((measure) => measure.scales.some((scale) => only.includes(scale.name)))
}

function missed({ scale, readings }: Row): boolean {
  const ours = readings.find((reading) => reading.subject === toolwire.name)
  return !ours || !holds(scale.demand, ours.value)
}
