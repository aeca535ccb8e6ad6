// Runs every revision in front of the gateway against every revision behind it, prints the results, and writes docs/matrix.md.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const outcomes = join(root, '.cache/matrix.json')

rmSync(outcomes, { force: true }) // an old result must not be mistaken for a new one
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'packages/gateway/test/matrix', '--reporter=dot', '--silent']
const { status } = spawnSync(process.execPath, vitest, { cwd: root, stdio: 'inherit', env: { ...process.env, SOAK: 'long' } })
if (!existsSync(outcomes)) {
  console.error('The tests did not finish, so there is no table. See their output above.')
  process.exit(1)
}

const matrix = JSON.parse(readFileSync(outcomes, 'utf8'))
const page = pageOf(matrix)
console.log(page)
writeFileSync(join(root, 'docs/matrix.md'), page)
process.exit(status === 0 && isComplete(matrix) ? 0 : 1)

function pageOf({ callers, servers, transports, unspoken, checks, gaps, cells }) {
  const letters = new Map(gaps.map(({ name }, index) => [name, String.fromCharCode(97 + index)]))
  const field = (caller, label) =>
    transports.map((transport) => summary(find(cells, caller, `${label} over ${transport}`), letters)).join(' / ')
  const labels = [...new Set(servers.map(({ label }) => label))]
  const head = ['Caller', ...labels]
  const rows = callers.map(({ name }) => [name, ...labels.map((label) => field(name, label))])
  return `# Which revisions work together

Made by \`npm run matrix\`: every revision in front of the gateway with every revision behind it. A row is a caller, and a column is the
revision of a server behind the gateway. A cell is the result over ${transports.join(' / ')} to that server. ${checks.length} means that all
checks passed without a fallback: ${checks.join(', ')}.
A letter stands for a check that passed with a fallback, because a revision lacks the feature; the reasons are below.
HTTP is Streamable HTTP. The first revision has only HTTP+SSE, but is tried over HTTP as well, as later ones are over HTTP+SSE.

${table([head, ...rows])}

${count(cells)}

## Gaps

${gaps.map(({ name, reason, page }) => `- **${letters.get(name)}** ${reason} (${page})`).join('\n')}
- **–** There is no ${unspoken.join(', no ')}: that revision has no handshake, and HTTP+SSE needs one. (2026-07-28/basic/transports)
`
}

function find(cells, caller, server) {
  return cells.find((cell) => cell.caller === caller && cell.server === server)
}

/** The number of checks that passed without a fallback, a letter for each that needed one, and the names of failed checks. */
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
  return `${cells.length} pairs, ${all.length} checks: ${plain} passed without a fallback, ${all.length - plain - failed} with one, ${failed} failed.`
}

/** Has every pair run every check? */
function isComplete({ callers, servers, checks, cells }) {
  const done = cells.filter((cell) => Object.keys(cell.checks).length === checks.length)
  return done.length === callers.length * servers.length
}
