import type { Progress } from 'toolwire/client'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

const barWidth = 24

/** The progress of a call on one line of stderr, shown only in a terminal. */
export function progressBar({ quiet }: Terminal, out: NodeJS.WriteStream = process.stderr) {
  let isShown = false
  const isOn = out.isTTY === true && !quiet
  return {
    show(progress: Progress): void {
      if (!isOn) return
      isShown = true
      out.write(`\r\u001b[K${progressLine(progress).slice(0, (out.columns || 80) - 1)}`)
    },
    clear(): void {
      if (isShown) out.write('\r\u001b[K')
      isShown = false
    },
  }
}

/** `[#####-----] 3/6 Mug`, or only the count if there is no total. */
export function progressLine({ progress, total, message }: Progress): string {
  const words = message === undefined ? '' : ` ${visibleTextLine(message)}`
  if (total === undefined || !(total > 0)) return `… ${progress}${words}`
  const filled = Math.round(barWidth * Math.min(1, Math.max(0, progress / total)))
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${progress}/${total}${words}`
}
