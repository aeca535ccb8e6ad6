import { usageProblem } from '../command.js'

/** An argument as it was typed. */
export type TypedArgument = {
  readonly name: string
  /** Text that the schema says how to read, JSON, or a file with either. */
  readonly form: 'text' | 'json' | 'text-file' | 'json-file'
  /** The value, or the path of the file. */
  readonly text: string
}

/** Reads `name=value`, `name:=json`, `name=@file`, `name:=@file`; `name=@@text` is text that begins with an @. */
export function parseArgument(word: string): TypedArgument {
  const at = word.indexOf('=')
  const isJson = at > 0 && word[at - 1] === ':'
  const name = word.slice(0, isJson ? at - 1 : at)
  if (at === -1 || name === '') throw usageProblem(`"${word}" is not an argument. Write name=value, name:=json or name=@file`)
  const value = word.slice(at + 1)
  if (isJson)
    return value.startsWith('@') ? { name, form: 'json-file', text: value.slice(1) } : { name, form: 'json', text: value }
  if (value.startsWith('@@')) return { name, form: 'text', text: value.slice(1) }
  return value.startsWith('@') ? { name, form: 'text-file', text: value.slice(1) } : { name, form: 'text', text: value }
}

/** All of them; none may be given twice. */
export function parseArguments(words: readonly string[]): TypedArgument[] {
  const all = words.map(parseArgument)
  const twice = all.find(({ name }, index) => all.findIndex((other) => other.name === name) < index)
  if (twice) throw usageProblem(`"${twice.name}" is given twice`)
  return all
}
