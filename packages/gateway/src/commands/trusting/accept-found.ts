// Somebody looks at what was found in a working folder, and accepts it: in the terminal, by --trust, or by toolwire trust.
import { type LoadOptions, loadConfig } from '../../config/load.js'
import { accept } from '../../config/trust/accepted.js'
import type { WaitingPart } from '../../config/trust/parts.js'
import { nameOf } from '../../config/trust/words.js'
import { interrupted, Trouble } from '../exit-codes.js'
import { Closed, promptsHere } from '../forms/prompts.js'
import { visibleLine } from '../terminal/hidden.js'
import type { Paint } from '../terminal/paint.js'

/** Imports and files of variables come to light when what names them is accepted. */
const mostRounds = 20

export type Agree = (waiting: readonly WaitingPart[]) => Promise<boolean>

/**
 * Accepts what waits, as it was shown, if they agree. What is accepted may bring in more, such as files of variables and other configs:
 * variables that a server was shown to read come with it, and everything else is asked about again.
 */
export async function acceptFound(where: LoadOptions, agree: Agree): Promise<readonly WaitingPart[] | undefined> {
  const accepted: WaitingPart[] = []
  for (let round = 0; ; round++) {
    if (round === mostRounds) throw new Trouble('The config changes while it is looked at. Try again when nothing writes to it')
    let parts: readonly WaitingPart[] = []
    const config = await loadConfig({ ...where, missing: 'keep', onParts: (all) => (parts = all) })
    const waiting = config.trust?.waiting ?? []
    if (!config.trust || waiting.length === 0) return accepted
    const isShown = ({ kind, id, file }: WaitingPart) =>
      kind === 'variables' && accepted.some((other) => other.kind === 'server' && other.id === id && other.file === file)
    const unseen = waiting.filter((part) => !isShown(part))
    if (unseen.length > 0 && !(await agree(unseen))) return undefined
    // That there were no settings is remembered as well: settings that come later are a change.
    const files = new Set(waiting.map(({ file }) => file))
    const settings = parts.filter(({ kind, file, lines }) => kind === 'settings' && lines.length === 0 && files.has(file))
    await accept(config.trust.store, [...settings, ...waiting])
    accepted.push(...waiting)
  }
}

/** What waits, with all that it would do. */
export function shownParts(waiting: readonly WaitingPart[], { bold, red }: Paint): string {
  const files = [...new Set(waiting.map(({ file }) => file))]
  const lines = files.flatMap((file) => [
    `In ${visibleLine(file)}:`,
    ...waiting
      .filter((part) => part.file === file)
      .flatMap((part) => [
        `  ${bold(visibleLine(nameOf(part)))}`,
        ...part.lines.map((line) => `    ${line.startsWith('! ') ? red(visibleLine(line)) : visibleLine(line)}`),
      ]),
  ])
  return lines.join('\n')
}

type Asking = { readonly paint: Paint; readonly signal: AbortSignal }

/** Asks at the terminal. The question is shown even where nothing else is to be said. */
export function askingHere({ paint, signal }: Asking): Agree {
  return async (waiting) => {
    const warning = paint.yellow(
      'This config was found here, and nobody has accepted it. What it holds may do on this machine whatever you may:',
    )
    process.stderr.write(`\n${warning}\n${shownParts(waiting, paint)}\n`)
    try {
      return await (await promptsHere(signal)).yesOrNo('Trust it?')
    } catch (thrown) {
      if (thrown instanceof Closed) throw interrupted()
      throw thrown
    }
  }
}
