// Lets programs dispose with `using`, even if they name no language library newer than their target.
/// <reference lib="esnext.disposable" preserve="true" />
import { NotRegular, readRegularText } from '../../../json/regular-file.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { atLeast, someFunction } from '../../../tools/checks/option-values.js'
import { notifyListener } from '../../notify-listener.js'
import type { Rulebook, RulesSource } from '../rulebook.js'
import { RulesError } from '../rules-error.js'
import { onFileChange } from './file-changes.js'
import { fileRuleValues, type ReadRulesOptions, readRules } from './read-rules.js'

type FileRulesOptions = Pick<ReadRulesOptions, 'cases' | 'format' | 'toolsFor' | 'check'>

export type WatchRulesOptions = FileRulesOptions & {
  /** Called when the file cannot be used. The rules that were in force stay. */
  onError: (error: RulesError) => void
  /** Called when other rules have come into force. */
  onChange?: (rules: Rulebook) => void
  /** Milliseconds without a change before the file is read. */
  settleMs?: number
  /** Milliseconds between checks of the file, for systems that report no changes, such as network drives. */
  pollMs?: number
}

const loadOptions = optionsOf<FileRulesOptions>()(fileRuleValues)
const watchOptions = optionsOf<WatchRulesOptions>()(fileRuleValues, {
  'onError onChange': someFunction,
  'settleMs pollMs': atLeast(0),
})

/** The current rules of a file. */
export type WatchedRules = RulesSource & {
  readonly current: Rulebook
  /** The reason why the current file cannot be used; undefined when all is well. */
  readonly trouble: RulesError | undefined
  close(): void
  [Symbol.dispose](): void
}

/**
 * Reads rules from a file, and again whenever it changes. Throws if the first version cannot be used.
 *
 * @example
 * ```ts
 * const watched = await watchRules('rules.json', { onError: (error) => console.error(error.message) })
 * ```
 */
export async function watchRules(path: string, options: WatchRulesOptions): Promise<WatchedRules> {
  checkOptions('watchRules()', options, watchOptions)
  const { onError, onChange, settleMs, pollMs, ...given } = options
  const reading = { ...given, format: options.format ?? formatOf(path), file: path }
  let text = await textOf(path)
  let current = await readRules(text, reading)
  let trouble: RulesError | undefined
  let isClosed = false

  async function look(): Promise<void> {
    try {
      const now = await stableText(path, settleMs ?? 100)
      if (now === undefined || (now === text && !trouble)) return
      const read = await readRules(now, reading)
      if (isClosed) return
      current = read
      text = now
      trouble = undefined
    } catch (thrown) {
      if (isClosed) return
      const error = asRulesError(thrown, path)
      const known = trouble?.message === error.message
      trouble = error
      if (!known) notifyListener('onError', () => onError(error))
      return
    }
    // Outside of the try, because its error says nothing about the file.
    notifyListener('onChange', () => onChange?.(current))
  }

  const changes = await onFileChange(() => [path], look, { settleMs, pollMs })
  const close = () => {
    isClosed = true
    changes.close()
  }
  return {
    get current() {
      return current
    },
    get trouble() {
      return trouble
    },
    close,
    [Symbol.dispose]: close,
  }
}

/**
 * Reads a file of rules once.
 *
 * @example
 * ```ts
 * const book = await loadRules('rules.json')
 * ```
 */
export async function loadRules(path: string, options: FileRulesOptions = {}): Promise<Rulebook> {
  checkOptions('loadRules()', options, loadOptions)
  return readRules(await textOf(path), { ...options, format: options.format ?? formatOf(path), file: path })
}

const formatOf = (path: string) => (/\.json$/i.test(path) ? 'json' : 'yaml')

async function textOf(path: string): Promise<string> {
  try {
    return await readRegularText(path)
  } catch (thrown) {
    throw asRulesError(thrown, path)
  }
}

/** Reads the text once it has stopped changing, because an editor may write the file in pieces. */
async function stableText(path: string, ms: number): Promise<string | undefined> {
  const before = await textOf(path)
  await new Promise((resolve) => setTimeout(resolve, ms))
  return before === (await textOf(path)) ? before : undefined
}

function asRulesError(thrown: unknown, file: string): RulesError {
  if (thrown instanceof RulesError) return thrown
  const message = `cannot be read: ${whyUnreadable(thrown)}`
  return new RulesError([{ at: '', message }], { cause: thrown, file })
}

function whyUnreadable(thrown: unknown): string {
  if (thrown instanceof NotRegular) return thrown.why
  if (!(thrown instanceof Error)) return String(thrown)
  return 'code' in thrown && thrown.code === 'ENOENT' ? 'ENOENT, there is no such file; check the path' : thrown.message
}
