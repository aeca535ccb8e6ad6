import type { LogEntry } from '../../gateway.js'
import { visibleLine } from '../terminal/hidden.js'
import { jsonLine } from '../terminal/json-text.js'
import { painter } from '../terminal/paint.js'
import type { Terminal } from '../terminal/terminal.js'

const levels = ['debug', 'info', 'warning', 'error']

/** Lines of JSON, or what is easy to read where somebody looks on. */
export function logTo(out: NodeJS.WriteStream, { json }: Terminal): (entry: LogEntry, from: string) => void {
  const isPretty = out.isTTY === true && !json
  const paint = painter(isPretty && !process.env.NO_COLOR && process.env.TERM !== 'dumb')
  const colours = { debug: paint.dim, info: paint.cyan, warning: paint.yellow, error: paint.red }
  return (entry, from) => {
    if (levels.indexOf(entry.level) < levels.indexOf(from === 'warn' ? 'warning' : from.toLowerCase())) return
    const { level, message, ...rest } = entry
    const time = new Date().toISOString()
    if (!isPretty) return void out.write(`${jsonLine({ time, level, message, ...rest })}\n`)
    out.write(`${paint.dim(time.slice(11, 19))} ${colours[level](level.padEnd(7))} ${visibleLine(message)}\n`)
  }
}
