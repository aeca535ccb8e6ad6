import type { Progress } from 'toolwire/client'
import type { Terminal } from '../terminal/terminal.js'
import { visibleTextLine } from '../terminal/visible-text.js'

const barWidth = 24

/** The progress of a call: on one line of stderr in a terminal. A message that the call waits is printed once, and whole. */
export function progressBar({ quiet }: Pick<Terminal, 'quiet'>, out: NodeJS.WriteStream = process.stderr) {
  let isShown = false
  let lastNotice: string | undefined
  const clear = () => {
    if (isShown) out.write('\r\u001b[K')
    isShown = false
  }
  return {
    show(progress: Progress): void {
      if (quiet) return
      const notice = waitingNotice(progress)
      if (notice !== undefined) {
        if (notice === lastNotice) return
        lastNotice = notice
        clear()
        out.write(`${notice}\n`)
      } else if (out.isTTY === true) {
        isShown = true
        out.write(`\r\u001b[K${progressLine(progress).slice(0, (out.columns || 80) - 1)}`)
      }
    },
    clear,
  }
}

/** A gateway counts in millionths while a call waits for approval, so that the progress of the tool goes forward from there. */
const longestWait = 0.001

const waitingNotice = ({ progress, total, message }: Progress): string | undefined =>
  total === undefined && progress > 0 && progress < longestWait && message !== undefined ? visibleTextLine(message) : undefined

/** `[#####-----] 3/6 Mug`, or only the count if there is no total. */
export function progressLine({ progress, total, message }: Progress): string {
  const words = message === undefined ? '' : ` ${visibleTextLine(message)}`
  if (total === undefined || !(total > 0)) return `… ${progress}${words}`
  const filled = Math.round(barWidth * Math.min(1, Math.max(0, progress / total)))
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${progress}/${total}${words}`
}
