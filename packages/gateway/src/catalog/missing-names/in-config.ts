// Finds unknown names in the settings of a server, and in sets.

import { effectiveHints } from 'toolwire/guard'
import { didYouMean } from '../../config/did-you-mean.js'
import type { ToolOverride, UpstreamConfig } from '../../config/gateway-config.js'
import { matchesGlob } from '../../config/globs.js'
import { argumentsOf, type KnownTools, type ListedServer } from './known-tools.js'
import { hasWildcard, type MissingName, missingName, noSuchTool, quoted } from './missing-name.js'

export function missingInServer({ config, tools }: ListedServer): readonly MissingName[] {
  if (!tools) return []
  const { id, only = [], optional = [] } = config
  const names = tools.map(({ name }) => name)
  const overrides = Object.entries(config.tools).flatMap(([name, said]) => missingInOverride(name, said, { config, tools }))
  const patterns = only.filter((name) => !optional.includes(name) && !names.some((one) => matchesGlob(name, one)))
  const inOnly = patterns.map((name) => {
    const words = `${noSuchTool(name)} on the server ${id}${didYouMean(name, names)}`
    const unless = `the name is written as { "tool": ${quoted(name)}, "optional": true }`
    return missingName({ where: `toolwire.servers.${id}.only`, words, holds: [id], unless })
  })
  return [...overrides, ...inOnly]
}

type Listed = { readonly [K in keyof ListedServer]: NonNullable<ListedServer[K]> }

function missingInOverride(name: string, said: ToolOverride, { config, tools }: Listed): readonly MissingName[] {
  if (said.optional || Object.keys(said).length === 0) return []
  const { id } = config
  const where = `toolwire.servers.${id}.tools.${name}`
  const unless = 'its entry says "optional": true'
  const tool = tools.find((one) => one.name === name)
  if (!tool) {
    const known = tools.map((one) => one.name)
    const words = `there is no tool ${quoted(name)} on the server ${id}${didYouMean(name, known)}`
    return [missingName({ where, words, holds: restricts(said, config) ? [id] : [], unless })]
  }
  const names = argumentsOf(tool.inputSchema)
  const unknown = names ? Object.keys(said.arguments ?? {}).filter((argument) => !names.has(argument)) : []
  return unknown.map((argument) => {
    const hint = didYouMean(argument, [...(names ?? [])])
    const words = `the tool ${quoted(name)} of the server ${id} has no argument ${quoted(argument)}${hint}`
    return missingName({ where: `${where}.arguments`, words, holds: [id], unless })
  })
}

const restricts = ({ hidden, arguments: pinned, hints = {} }: ToolOverride, { trusted }: UpstreamConfig): boolean =>
  hidden === true ||
  pinned !== undefined ||
  hints.destructive === worst.destructive ||
  hints.readOnly === worst.readOnly ||
  // An untrusted server has the worst values already.
  (trusted && (hints.idempotent === worst.idempotent || hints.openWorld === worst.openWorld))

const worst = effectiveHints()

export function missingInSet(set: string, names: readonly string[], known: KnownTools): readonly MissingName[] {
  const missing = names.filter((name) => !known.mayAppear(name) && !known.tools.some(({ tool }) => matchesGlob(name, tool)))
  return missing.map((name) => {
    const words = `${noSuchTool(name)}${didYouMean(name, known.shownNames)}`
    return missingName({ where: `toolwire.sets.${set}`, words, holds: [], isPrecaution: hasWildcard(name) })
  })
}
