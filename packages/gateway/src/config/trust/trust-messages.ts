import type { UntrustedPart } from './untrusted-parts.js'

/** The waiting parts of each file, in sentences that say what to do. */
export function untrustedLines(waiting: readonly UntrustedPart[]): string[] {
  const files = [...new Set(waiting.map(({ file }) => file))]
  return files.map((file) => {
    const named = waiting.filter((part) => part.file === file).map(partName)
    const what = [...new Set(named)].join(', ')
    return `${file} was found, not named. Until you accept it, the gateway does not use: ${what}. Review and accept it: ${waiting.find((part) => part.file === file)?.how}`
  })
}

export const trustCommand = (file: string, dataDir: string | undefined): string =>
  ['toolwire trust', shellWord(file), ...(dataDir === undefined ? [] : ['--data-dir', shellWord(dataDir)])].join(' ')

/** Quotes a word, so that a copied command runs exactly as shown. */
export const shellWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export const partName = ({ kind, id }: UntrustedPart): string =>
  ({
    settings: 'its settings',
    policy: 'its policy',
    server: `the server ${id}`,
    variables: `the variables of the server ${id}`,
  })[kind]

/** The reason that a server is unknown here, if it waits for acceptance; otherwise undefined. */
export function waitingServerLine(server: string, waiting: readonly UntrustedPart[]): string | undefined {
  const part = untrustedServers(waiting).find(({ id }) => id === server)
  if (!part) return undefined
  return `The server ${server} waits for your acceptance, because ${part.file} was found, not named. Review and accept it: ${part.how}`
}

/** Servers that are not used yet, because a part of them waits for acceptance. */
export const untrustedServers = (waiting: readonly UntrustedPart[]): readonly (UntrustedPart & { readonly id: string })[] => {
  const byId = new Map<string, UntrustedPart & { readonly id: string }>()
  for (const part of waiting) if (part.id !== undefined && !byId.has(part.id)) byId.set(part.id, { ...part, id: part.id })
  return [...byId.values()]
}
