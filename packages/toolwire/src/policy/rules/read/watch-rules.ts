// Dispose with `using`, also where the program names no library of the language newer than its target.
/// <reference lib="esnext.disposable" preserve="true" />
import { NotRegular, readRegular } from '../../../json/regular-file.js'
import type { Rulebook, RulesSource } from '../rulebook.js'
import { RulesError } from '../rules-error.js'
import { onFileChange } from './file-changes.js'
import { type ReadRulesOptions, readRules } from './read-rules.js'

/** How a file of rules is watched. */
export type WatchRulesOptions = Pick<ReadRulesOptions, 'cases' | 'format' | 'toolsFor' | 'check'> & {
  /** Told when the file cannot be used; the rules that were in force stay. */
  onError: (error: RulesError) => void
  /** Told when other rules have come into force. */
  onChange?: (rules: Rulebook) => void
  /** Milliseconds the file must rest before it is read. */
  settleMs?: number
  /** Milliseconds after which the file is looked at even where nothing was heard of it, as on network drives. */
  pollMs?: number
}

/** The rules of a file, as they are now. */
export type WatchedRules = RulesSource & {
  readonly current: Rulebook
  /** Why the file as it is now cannot be used; undefined when all is well. */
  readonly trouble: RulesError | undefined
  close(): void
  [Symbol.dispose](): void
}

/**
 * Reads rules from a file, which must be usable to begin with, and again whenever it changes.
 *
 * @example
 * ```ts
 * const watched = await watchRules('rules.json', { onError: (error) => console.error(error.message) })
 * ```
 */
export async function watchRules(path: string, options: WatchRulesOptions): Promise<WatchedRules> {
  const reading = { ...options, format: options.format ?? formatOf(path), file: path }
  let text = await textOf(path)
  let current = await readRules(text, reading)
  let trouble: RulesError | undefined
  let isClosed = false

  async function look(): Promise<void> {
    try {
      const now = await settledText(path, options.settleMs ?? 100)
      if (now === undefined || (now === text && !trouble)) return
      const read = await readRules(now, reading)
      if (isClosed) return
      current = read
      text = now
      trouble = undefined
      options.onChange?.(current)
    } catch (thrown) {
      if (isClosed) return
      const error = asRulesError(thrown, path)
      const known = trouble?.message === error.message
      trouble = error
      if (!known) options.onError(error)
    }
  }

  const changes = await onFileChange(() => [path], look, options)
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
export async function loadRules(
  path: string,
  options: Pick<ReadRulesOptions, 'cases' | 'format' | 'toolsFor' | 'check'> = {},
): Promise<Rulebook> {
  return readRules(await textOf(path), { ...options, format: options.format ?? formatOf(path), file: path })
}

const formatOf = (path: string) => (/\.json$/i.test(path) ? 'json' : 'yaml')

async function textOf(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readRegular(path))
  } catch (thrown) {
    throw asRulesError(thrown, path)
  }
}

/** Reads the text once it has stopped changing, because an editor may write the file in pieces. */
async function settledText(path: string, ms: number): Promise<string | undefined> {
  const before = await textOf(path)
  await new Promise((resolve) => setTimeout(resolve, ms))
  return before === (await textOf(path)) ? before : undefined
}

function asRulesError(thrown: unknown, file: string): RulesError {
  if (thrown instanceof RulesError) return thrown
  const why = thrown instanceof NotRegular ? thrown.why : thrown instanceof Error ? thrown.message : String(thrown)
  const message = `cannot be read: ${why}`
  return new RulesError([{ at: '', message }], { cause: thrown, file })
}
