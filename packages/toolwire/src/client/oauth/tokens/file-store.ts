import { readRegular } from '../../../json/regular-file.js'
import { textIn } from '../../../json.js'
import { objectIn } from '../discovery/json-document.js'
import { OAuthFailure } from '../oauth-failure.js'
import { withFileLock } from './file-lock.js'
import type { TokenStore } from './token-store.js'

type Kept = { [key: string]: string }

/**
 * Keeps tokens and registrations in one file that only its owner can read. Several processes can use it at once. Node only.
 *
 * @example
 * ```ts
 * const store = fileStore('/home/me/.config/app/tokens.json')
 * ```
 */
export function fileStore(path: string): TokenStore {
  const inTurn = serialQueue()
  const change = (edit: (kept: Kept) => unknown) =>
    inTurn(async () => {
      await makeFolderOf(path)
      await withFileLock(`${path}.lock`, async () => {
        const kept = await read(path)
        edit(kept)
        await write(path, kept)
      })
    })
  return {
    get: (key) => inTurn(async () => (await read(path))[key]),
    set: (key, value) => change((kept) => Object.assign(kept, { [key]: value })),
    delete: (key) => change((kept) => Reflect.deleteProperty(kept, key)),
  }
}

/** Runs work one after the other, even if the previous one failed. */
function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next
    return next
  }
}

async function read(path: string): Promise<Kept> {
  const bytes = await readRegular(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const found = objectIn(bytes ?? '{}')
  if (!found) throw new OAuthFailure('bad_options', `${path} is not a token store`)
  const entries = Object.entries(found).filter((entry): entry is [string, string] => textIn(entry[1]) !== undefined)
  return Object.assign(Object.create(null), Object.fromEntries(entries))
}

async function makeFolderOf(path: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  const { dirname } = await import('node:path')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
}

async function write(path: string, kept: Kept): Promise<void> {
  const { rename, rm, writeFile } = await import('node:fs/promises')
  const draft = `${path}.${crypto.randomUUID()}`
  try {
    await writeFile(draft, JSON.stringify(kept, null, 2), { mode: 0o600, flag: 'wx', flush: true })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
