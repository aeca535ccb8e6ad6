import type { JsonObject, Server } from '../api/types.js'

/** The words of a command, or the address. */
export function targetWords(target: JsonObject): readonly string[] {
  const { kind, command, args, url } = target
  if (kind !== 'child') return [String(url ?? '')]
  return [String(command ?? ''), ...(Array.isArray(args) ? args.map(String) : [])]
}

/** All of it in one line; words with blanks in them in quotes, so that one sees where each ends. */
export const targetLine = ({ target }: Pick<Server, 'target'>): string => targetWords(target).map(quoted).join(' ')

const quoted = (word: string): string => (/^[^\s"'\\]+$/.test(word) ? word : JSON.stringify(word))
