import type { Json, JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'
import type { LogEntry } from '../../lifecycle/start-gateway.js'
import { painter, type Terminal } from '../terminal/terminal.js'
import { visibleJsonLine, visibleTextLine } from '../terminal/visible-text.js'

const levels = ['debug', 'info', 'warning', 'error']

type Out = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>

/** Prints log entries as JSON lines, or in readable form on a terminal. */
export function logPrinter(out: Out, { json }: Pick<Terminal, 'json'>): (entry: LogEntry, from: string) => void {
  const isPretty = out.isTTY === true && !json
  const paint = painter(isPretty && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
  const colours = { debug: paint.dim, info: paint.cyan, warning: paint.yellow, error: paint.red }
  return (entry, from) => {
    if (levels.indexOf(entry.level) < levels.indexOf(from === 'warn' ? 'warning' : from.toLowerCase())) return
    const { level, message } = entry
    const time = new Date().toISOString()
    if (!isPretty) return void out.write(`${visibleJsonLine({ time, ...forPrograms(entry) })}\n`)
    const [first = '', ...more] = message.split('\n').map(visibleTextLine)
    const begins = `${paint.dim(time.slice(11, 19))} ${colours[level](level.padEnd(7))}`
    out.write([`${begins} ${first}`, ...more.map((line) => `${indent}${line}`)].map((line) => `${line}\n`).join(''))
  }
}

/** Aligns further lines with the message, after time and level. */
const indent = ' '.repeat(19)

/** Keeps JSON that a server has printed as JSON, instead of quoting it in a text. Each line is handled separately. */
function forPrograms({ level, message, stderr, ...rest }: LogEntry): JsonObject {
  const [first = '', ...more] = message.split('\n')
  const lines = more.length > 0 ? { lines: more.map(printedIn) } : {}
  if (typeof stderr !== 'string') return { level, message: first, ...rest, ...lines }
  const printed = printedIn(stderr)
  return { level, message: printed === stderr ? first : `${String(rest.server)} printed`, ...rest, stderr: printed }
}

/** Only a JSON object is kept; other text that starts with a brace stays text. */
function printedIn(line: string): Json {
  const value = line.startsWith('{') ? jsonIn(line) : undefined
  return isObject(value) ? value : line
}
