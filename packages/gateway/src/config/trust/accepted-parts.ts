// Records the accepted parts of discovered configs. The file is in the data directory, out of reach of the configs themselves.
import { mkdir, realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'
import { ConfigError } from '../config-error.js'
import { readContent, replaceFile } from '../editing/replace-file.js'
import { defaultDataDir, type Machine, refuseOtherDataDir, resolvePath, workspaceOf } from '../paths.js'
import { type ConfigFlags, settingOverrides } from '../settings/overrides.js'

/** Digests by their config file, oldest first. */
type Accepted = { readonly [file: string]: readonly string[] }

const mostFiles = 1_000
const mostDigests = 1_000

/** The path of this record: in the data directory of the command line, the environment or the user, never in one that a config names. */
export function trustStorePath(machine: Machine, flags: ConfigFlags): string {
  const { dataDir } = settingOverrides({ dataDir: flags.dataDir }, { TOOLWIRE_DATA_DIR: machine.env.TOOLWIRE_DATA_DIR })
  const folder = dataDir === undefined ? defaultDataDir(machine) : resolvePath(machine.cwd, dataDir, machine.home)
  return join(folder, 'trust', 'accepted.json')
}

/**
 * The name under which a file's acceptance is recorded: its place in the real folder of its project. A link from there to an accepted file of
 * another project is not accepted, because the same commands run other files here.
 */
export async function acceptedFileOf(path: string): Promise<string> {
  const project = workspaceOf(path)
  return join(await realpath(project).catch(() => project), relative(project, path))
}

export async function acceptedDigests(store: string, file: string): Promise<ReadonlySet<string>> {
  return new Set((await read(store)).accepted.get(file) ?? [])
}

export async function acceptParts(store: string, parts: readonly { file: string; digest: string }[]): Promise<void> {
  if (parts.length === 0) return
  await change(store, (accepted) => {
    for (const { file, digest } of parts) {
      const others = (accepted.get(file) ?? []).filter((one) => one !== digest)
      accepted.delete(file)
      accepted.set(file, [...others, digest].slice(-mostDigests))
    }
  })
}

/** Forgets a file; returns false if nothing of it was accepted. */
export async function forgetFile(store: string, file: string): Promise<boolean> {
  let wasThere = false
  await change(store, (accepted) => {
    wasThere = accepted.delete(file)
  })
  return wasThere
}

async function change(store: string, edit: (accepted: Map<string, readonly string[]>) => void): Promise<void> {
  await refuseOtherDataDir(dirname(dirname(store)))
  await mkdir(dirname(dirname(store)), { recursive: true, mode: 0o700 })
  await mkdir(dirname(store), { recursive: true, mode: 0o700 })
  const { machine } = await import('toolwire/relay')
  await machine.withFileLock(`${store}.lock`, async () => {
    const { text, accepted } = await read(store)
    edit(accepted)
    const files = Object.fromEntries([...accepted].slice(-mostFiles))
    await replaceFile(store, text, `${JSON.stringify({ files }, undefined, 2)}\n`)
  })
}

async function read(store: string): Promise<{ text: string | undefined; accepted: Map<string, readonly string[]> }> {
  const text = await readContent(store)
  const accepted = text === undefined ? {} : filesIn(text)
  const message = 'was not written by Toolwire; remove it, and accept again'
  if (!accepted) throw new ConfigError([{ at: '', message }], { file: store })
  return { text, accepted: new Map(Object.entries(accepted)) }
}

function filesIn(text: string): Accepted | undefined {
  const record = jsonIn(text)
  if (!isObject(record) || !isObject(record.files)) return undefined
  const { files } = record
  const isFit = Object.values(files).every((one) => Array.isArray(one) && one.every((digest) => typeof digest === 'string'))
  return isFit ? (files as Accepted) : undefined // checked above
}
