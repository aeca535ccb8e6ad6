import type { Json } from 'toolwire'
import { parseDocument } from '../documents/read-document.js'
import { Secrets } from '../secrets.js'
import { namedArgument } from '../servers/upstream-config.js'
import { textDiff } from './text-diff.js'

/** The difference between two texts of a config, without the values of variables and headers and whatever looks like a secret. */
export function maskedDiff(path: string, before: string, after: string): string {
  const secrets = new Secrets()
  for (const text of [before, after])
    if (text.trim() !== '') noteTexts(parseDocument(path, text.replace(/^\ufeff/, ''))().value, '', secrets)
  return secrets.mask(textDiff(before, after))
}

const secretPlaces = /^(env|environment|headers|http_headers)$/

function noteTexts(value: Json | undefined, name: string, secrets: Secrets, isSecret = false): void {
  if (typeof value === 'string' && isSecret) secrets.header(name, value)
  else if (typeof value === 'string') secrets.consider(name, value)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value))
    for (const [at, word] of value.entries())
      if (typeof word === 'string') secrets.consider(...namedArgument(word, String(value[at - 1] ?? '')))
  for (const [key, item] of Object.entries(value))
    noteTexts(item, Array.isArray(value) ? '' : key, secrets, isSecret || secretPlaces.test(name))
}
