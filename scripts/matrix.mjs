// Runs every edition in front of the gateway against every edition behind it, prints what each pair can do, and keeps it in docs/matrix.md.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outcomes = join(root, '.cache/matrix.json')

rmSync(outcomes, { force: true }) // an old one must not be taken for what comes out now
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'packages/gateway/test/matrix', '--reporter=dot', '--silent']
const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit', env: { ...process.env, SOAK: 'long' } })
if (!existsSync(outcomes)) {
  console.error('The tests did not come to an end, so there is no table to print; what they say above is why.')
  process.exit(1)
}

const matrix = JSON.parse(readFileSync(outcomes, 'utf8'))
const page = pageOf(matrix)
console.log(page)
writeFileSync(join(root, 'docs/matrix.md'), page)
process.exit(status === 0 && isComplete(matrix) ? 0 : 1)

function pageOf({ callers, servers, transports, unspoken, checks, gaps, cells }) {
  const letters = new Map(gaps.map(({ name }, index) => [name, String.fromCharCode(97 + index)]))
  const field = (caller, edition) =>
    transports.map((transport) => summary(find(cells, caller, `${edition} over ${transport}`), letters)).join(' / ')
  const editions = [...new Set(servers.map(({ edition }) => edition))]
  const head = ['Caller', ...editions]
  const rows = callers.map(({ name }) => [name, ...editions.map((edition) => field(name, edition))])
  return `# What works between which editions

Made by \`npm run matrix\`: every edition in front of the gateway with every edition behind it. A row is a caller, a column the edition
of a server behind the gateway, and a field says how it went over ${transports.join(' / ')} to that server. ${checks.length} means that all
checks passed as they are: ${checks.join(', ')}.
A letter stands for a check that passed in the way that is left where an edition lacks something; the reasons are below.
HTTP is Streamable HTTP. The first edition has only HTTP+SSE, but is spoken over HTTP as well, as are later ones over HTTP+SSE.

${table([head, ...rows])}

${count(cells)}

## Gaps

${gaps.map(({ name, reason, page }) => `- **${letters.get(name)}** ${reason} (${page})`).join('\n')}
- **–** There is no ${unspoken.join(', no ')}: that edition has no handshake, and HTTP+SSE carries nothing else. (2026-07-28/basic/transports)
`
}

function find(cells, caller, server) {
  return cells.find((cell) => cell.caller === caller && cell.server === server)
}

/** How many checks passed as they are, a letter for each that passed in another way, and the names of those that failed. */
function summary(cell, letters) {
  if (!cell) return '–'
  const results = Object.entries(cell.checks)
  const failed = results.filter(([, outcome]) => outcome === 'failed').map(([check]) => check)
  const passed = results.filter(([, outcome]) => outcome === 'ok').length
  const others = results.map(([, outcome]) => letters.get(outcome) ?? '').join('')
  return failed.length > 0 ? `FAILED: ${failed.join(', ')}` : `${passed}${others}`
}

function table([head, ...rows]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)))
  const line = (fields) => `| ${fields.map((text, column) => text.padEnd(widths[column])).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}

function count(cells) {
  const all = cells.flatMap(({ checks }) => Object.values(checks))
  const failed = all.filter((outcome) => outcome === 'failed').length
  const plain = all.filter((outcome) => outcome === 'ok').length
  return `${cells.length} pairs, ${all.length} checks: ${plain} passed as they are, ${all.length - plain - failed} in the way that is left, ${failed} failed.`
}

/** Nothing was left out. */
function isComplete({ callers, servers, checks, cells }) {
  const done = cells.filter((cell) => Object.keys(cell.checks).length === checks.length)
  return done.length === callers.length * servers.length
}
