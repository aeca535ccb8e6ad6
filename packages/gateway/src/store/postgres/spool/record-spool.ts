// Keeps records on the local disk while PostgreSQL cannot be reached, and moves them there afterwards, in their order.
import { join } from 'node:path'
import type { AuditEntry, AuditHead } from 'toolwire/guard'
import { oneAtATime } from '../../../bounds/one-at-a-time.js'
import type { HeadSigner } from '../../audit/signed-head.js'
import { StoreFailure } from '../../store-failure.js'
import { isCancelled, isConnectionLost } from '../failures.js'
import { createSpoolFile, type SpoolFile } from './spool-file.js'
import { groupIn, groupLine } from './spooled-group.js'

export type SpoolPlace = {
  readonly directory: string
  /** Maximum size of the waiting records of one replica; 256 MiB by default. Moved ones stay on the disk until the last is moved. */
  readonly mostBytes?: number
}

/** The number and size of records that wait for the database, and the reason why no more can be kept. */
export type SpoolState = { readonly records: number; readonly bytes: number; readonly trouble: unknown }

type SpoolParts = SpoolPlace & {
  readonly signer: HeadSigner
  /** Appends the entries that the database does not have yet, or fails after this time. */
  readonly move: (entries: readonly AuditEntry[], withinMs: number) => Promise<void>
  readonly onMoved: (last: AuditHead) => void
  /** Called with the error that keeps records from being moved, except while the database is away. */
  readonly onTrouble: (words: string) => void
}

type Kept = {
  readonly file: SpoolFile
  readonly stream: string
  /** The last record. */
  end: AuditHead
  /** Sequence of the last moved record, and the position of the next line. */
  moved: number
  from: number
}

const usualBytes = 256 * 1_024 * 1_024
const tryEveryMs = 500
const moveMs = 4_000
/** The size and the time of a move for which new records have to wait. */
const finalMoveBytes = 128 * 1_024
const finalMoveMs = 2_000

export const spoolName = (stream: string): string => `${stream}.jsonl`

export const isUnreachable = (thrown: unknown): boolean => isConnectionLost(thrown) || isCancelled(thrown)

export function recordSpool({ directory, mostBytes = usualBytes, signer, move, onMoved, onTrouble }: SpoolParts) {
  const inTurn = oneAtATime()
  let kept: Kept | undefined
  let trouble: unknown
  /** The error after which no records are taken, because the kept ones do not fit the database. */
  let broken: Error | undefined
  let timer: NodeJS.Timeout | undefined
  let moving: Promise<void> | undefined

  async function begin(stream: string, line: string, first: AuditEntry): Promise<Kept> {
    const file = await createSpoolFile(join(directory, spoolName(stream)), mostBytes)
    try {
      await file.add(line)
    } catch (thrown) {
      await file.remove()
      throw thrown
    }
    return { file, stream, end: first, moved: first.sequence - 1, from: 0 }
  }

  async function keep(stream: string, entries: readonly AuditEntry[]): Promise<void> {
    const [first, last] = [entries[0], entries.at(-1)]
    if (!first || !last) return
    try {
      if (broken) throw broken
      const line = groupLine(stream, entries, last, signer)
      if (kept) await kept.file.add(line, kept.from)
      else kept = await begin(stream, line, first)
      kept.end = { sequence: last.sequence, hash: last.hash }
      trouble = undefined
    } catch (thrown) {
      trouble = thrown instanceof StoreFailure || thrown === broken ? thrown : diskFailure(directory, thrown)
      throw trouble
    }
    moveLater()
  }

  function moveLater(): void {
    if (timer || moving) return
    timer = setTimeout(() => {
      timer = undefined
      moving = tryMoving().finally(() => {
        moving = undefined
        if (kept && !broken) moveLater()
      })
    }, tryEveryMs).unref()
  }

  async function tryMoving(): Promise<void> {
    try {
      // New records do not wait for a database that may still be away.
      do await moveSome(moveMs)
      while (kept && kept.file.size - kept.from > finalMoveBytes)
      await inTurn(moveLast)
    } catch (thrown) {
      if (isUnreachable(thrown)) return
      if (!(thrown instanceof StoreFailure)) {
        broken = asError(thrown)
        trouble = broken
      }
      onTrouble(`Records on the local disk cannot be moved to PostgreSQL: ${asError(thrown).message}`)
    }
  }

  /** Moves the rest while nothing is added. Later records go to the database. */
  async function moveLast(): Promise<void> {
    while (kept && kept.from < kept.file.size) await moveSome(finalMoveMs)
    const { file } = kept ?? {}
    kept = undefined
    trouble = undefined
    await file
      ?.remove()
      .catch((thrown: unknown) =>
        onTrouble(`A spool file cannot be removed after its records were moved to PostgreSQL: ${asError(thrown).message}`),
      )
  }

  async function moveSome(withinMs: number): Promise<void> {
    if (!kept || kept.from === kept.file.size) return
    const { file, stream, from } = kept
    const { lines, next } = await file.linesFrom(from)
    const entries = lines.flatMap((line) => groupIn(line, stream, signer) ?? damaged(directory))
    const last = entries.at(-1) ?? damaged(directory)
    await move(entries, withinMs)
    Object.assign(kept, { from: next, moved: last.sequence })
    onMoved({ sequence: last.sequence, hash: last.hash })
  }

  return {
    /** The last kept record; undefined while records go to the database. */
    get end(): AuditHead | undefined {
      return kept?.end
    },
    get state(): SpoolState {
      const records = kept ? kept.end.sequence - kept.moved : 0
      return { records, bytes: kept ? kept.file.size - kept.from : 0, trouble }
    },
    /** Writes to the database and returns true, or keeps the records on disk and returns false. Both are safe. */
    write: (stream: string, entries: readonly AuditEntry[], write: () => Promise<void>): Promise<boolean> =>
      inTurn(async () => {
        if (!kept)
          try {
            await write()
            trouble = undefined
            return true
          } catch (thrown) {
            if (!isUnreachable(thrown)) throw thrown
          }
        await keep(stream, entries)
        return false
      }),
    /** Records that cannot be moved now stay on the disk for the next start. */
    async close(): Promise<void> {
      clearTimeout(timer)
      await moving
      clearTimeout(timer)
      if (kept && !broken) await tryMoving()
      await kept?.file.close()
    },
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

function damaged(directory: string): never {
  throw new Error(`The spool in ${directory} was changed by another program`)
}

const diskFailure = (directory: string, cause: unknown): StoreFailure =>
  new StoreFailure(
    `PostgreSQL cannot be reached, and records cannot be kept in ${directory} (${asError(cause).message}). Check the disk: calls are refused until PostgreSQL or the disk works`,
  )
