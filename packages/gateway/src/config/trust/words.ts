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
  ['toolwire trust', shellWord(file), ...(dataDir === undefined ? [] : ['--data-dir', shellWord(dataDir)])].join(' ')

/** Whoever copies the command to a shell runs that command and no other. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export const nameOf = ({ kind, id }: WaitingPart): string =>
  kind === 'settings' ? 'its settings' : kind === 'server' ? `the server ${id}` : `the variables of the server ${id}`

/** Why nothing is known of this server here, if it waits; undefined if it does not. */
export function waitingServerLine(server: string, waiting: readonly WaitingPart[]): string | undefined {
  const part = waitingServers(waiting).find(({ id }) => id === server)
  return (
    part &&
    `The server ${server} waits until you accept it: ${part.file} was found, not named. Look at it, and accept it: ${part.how}`
  )
}

/** Servers of which nothing is used. */
export const waitingServers = (waiting: readonly WaitingPart[]): readonly (WaitingPart & { readonly id: string })[] => {
  const byId = new Map<string, WaitingPart & { readonly id: string }>()
  for (const part of waiting) if (part.id !== undefined && !byId.has(part.id)) byId.set(part.id, { ...part, id: part.id })
  return [...byId.values()]
}
