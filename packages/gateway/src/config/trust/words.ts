import type { WaitingPart } from './parts.js'

/** What waits in each file, in sentences that say what to do. */
export function waitingLines(waiting: readonly WaitingPart[]): string[] {
  const files = [...new Set(waiting.map(({ file }) => file))]
  return files.map((file) => {
    const named = waiting.filter((part) => part.file === file).map(nameOf)
    const what = [...new Set(named)].join(', ')
    return `${file} was found, not named. Nothing of this is used until you accept it: ${what}. Look at it, and accept it: ${waiting.find((part) => part.file === file)?.how}`
  })
}

export const howToAccept = (file: string, dataDir: string | undefined): string =>
  ['toolwire trust', quoted(file), ...(dataDir === undefined ? [] : ['--data-dir', quoted(dataDir)])].join(' ')

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export const nameOf = ({ kind, id }: WaitingPart): string =>
  kind === 'settings' ? 'its settings' : kind === 'server' ? `the server ${id}` : `the variables of the server ${id}`

/** Servers of which nothing is used. */
export const waitingServers = (waiting: readonly WaitingPart[]): readonly (WaitingPart & { readonly id: string })[] => {
  const byId = new Map<string, WaitingPart & { readonly id: string }>()
  for (const part of waiting) if (part.id !== undefined && !byId.has(part.id)) byId.set(part.id, { ...part, id: part.id })
  return [...byId.values()]
}
