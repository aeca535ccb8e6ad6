// Copies arguments for display, without secrets, and no more of them than is shown.
import type { Json, JsonObject } from 'toolwire'
import { hideSecrets } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'

const mostCharacters = 4_096
const deepest = 16

type TruncatedArguments = { readonly arguments: JsonObject; readonly cut?: true }

export function truncateArguments(args: JsonObject): TruncatedArguments {
  const room = { left: mostCharacters, isCut: false }
  // The copy of an object is an object.
  const copy = copied(args, room, 0, false) as JsonObject
  return room.isCut ? { arguments: copy, cut: true } : { arguments: copy }
}

type Room = { left: number; isCut: boolean }

/** A text is searched this far beyond the cut, because half a secret is not recognized. No known secret is longer. */
const longestSecret = 36_864

/** Everything below the name of a secret is secret. */
function copied(value: Json, room: Room, depth: number, isSecret: boolean): Json {
  if (typeof value === 'string') {
    const looked = value.slice(0, Math.max(0, room.left) + longestSecret)
    if (looked.length < value.length) room.isCut = true
    return text(hideSecrets(looked, nameFor(isSecret)), room)
  }
  if (typeof value === 'number' && isSecret) return text(hideSecrets(String(value), nameFor(isSecret)), room)
  if (typeof value !== 'object' || value === null) {
    room.left -= 8
    return value
  }
  room.left -= 2
  if (depth === deepest) {
    room.isCut = true
    return Array.isArray(value) ? [] : {}
  }
  return Array.isArray(value) ? items(value, room, depth, isSecret) : members(value, room, depth, isSecret)
}

const nameFor = (isSecret: boolean): string => (isSecret ? 'secret' : '')

function text(value: string, room: Room): string {
  const fits = value.length <= room.left
  const kept = fits ? value : `${wholeCharacters(value.slice(0, Math.max(0, room.left)))}…`
  if (!fits) room.isCut = true
  room.left -= kept.length + 2
  return kept
}

/** Drops half a surrogate pair at the end. */
const wholeCharacters = (value: string): string => value.replace(/[\uD800-\uDBFF]$/, '')

function items(values: readonly Json[], room: Room, depth: number, isSecret: boolean): Json {
  const kept: Json[] = []
  for (const value of values) {
    if (isFull(room)) break
    kept.push(copied(value, room, depth + 1, isSecret))
  }
  return kept
}

function members(values: JsonObject, room: Room, depth: number, isSecret: boolean): Json {
  const kept: [string, Json][] = []
  for (const name in values) {
    const value = values[name]
    if (!Object.hasOwn(values, name) || value === undefined) continue
    if (isFull(room)) break
    // A cut name would be a different name.
    if (name.length > room.left) {
      room.isCut = true
      continue
    }
    room.left -= name.length + 4
    kept.push([hideSecrets(name), copied(value, room, depth + 1, isSecret || sanitizing.isSecretMember(name, value))])
  }
  return Object.fromEntries(kept)
}

function isFull(room: Room): boolean {
  if (room.left > 0) return false
  room.isCut = true
  return true
}
