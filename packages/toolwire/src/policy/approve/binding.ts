// The facts that an approval is bound to. If one of them has changed when the call is about to be made, the call is not made.

import { canonicalJsonInTurns } from '../../bounds/canonical-in-turns.js'
import { thenOrNow } from '../../bounds/then-or-now.js'
import { canonicalJson, type Json } from '../../json.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { definitionOf } from '../hash/definition-hash.js'
import { sha256 } from '../hash/hashing.js'
import { identityIn } from '../pin/accepted.js'
import type { BoundCall } from './approval.js'

/** A call with the rules that were in force when it was shown. */
export type ApprovalBinding = BoundCall & { readonly policyVersion: string | undefined }

/** Identity of one request, so that an answer to it counts for no other and no later one. */
export type RequestIdentity = { readonly id: string; readonly expiresAt: number }

/** Reads all facts again each time, because a definition that was hashed once may have been changed in place since. */
export function bindingOf(
  { caller, server, arguments: args }: ToolCall,
  tool: ReadyTool,
  policyVersion: string | undefined,
): ApprovalBinding {
  const definitionHash = `sha256:${sha256(canonicalJson(definitionOf(tool)))}`
  return { caller: caller.id, server, ...identityIn(tool), tool: tool.name, definitionHash, arguments: args, policyVersion }
}

/** SHA-256 over the canonical form of the facts. Without `issue`, identical calls have the same digest. */
export function bindingDigest(
  { server, policyVersion, ...bound }: ApprovalBinding,
  issue?: RequestIdentity,
): string | Promise<string> {
  // An absent server is null, and so differs from a server called "null".
  const facts = { ...bound, server: server ?? null, policyVersion: policyVersion ?? null }
  return thenOrNow(canonicalJsonInTurns(issue ? { ...facts, id: issue.id, expiresAt: issue.expiresAt } : facts), sha256)
}

const facts = [
  ['caller', 'the caller'],
  ['server', 'the server'],
  ['serverIdentity', 'the identity of the server'],
  ['tool', 'the tool'],
  ['definitionHash', 'the definition of the tool'],
  ['arguments', 'the arguments'],
  ['policyVersion', 'the policy'],
] as const

/** The facts that are no longer as they were shown, in words. */
export const changedFacts = (shown: ApprovalBinding, now: ApprovalBinding): readonly string[] =>
  facts.filter(([fact]) => !isSame(shown[fact], now[fact])).map(([, words]) => words)

const isSame = (shown: Json | undefined, now: Json | undefined): boolean =>
  shown === now || (shown !== undefined && now !== undefined && canonicalJson(shown) === canonicalJson(now))
