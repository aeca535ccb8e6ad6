// What an approval is bound to. If any of it is different when the call is about to be made, it is not made.
import { canonicalJson, type Json } from '../../json.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { definitionOf } from '../hash/definition-hash.js'
import { sha256 } from '../hash/hashing.js'
import { identityIn } from '../pin/accepted.js'
import type { BoundCall } from './approval.js'

/** A call with the rules that were in force when it was shown. */
export type ApprovalBinding = BoundCall & { readonly policyVersion: string | undefined }

/** What one request adds: an answer to it is an answer to no other, and to none that comes later. */
export type RequestIdentity = { readonly id: string; readonly expiresAt: number }

/** Everything is read anew each time: what was hashed once may have been changed in place since. */
export function bindingOf(
  { caller, server, arguments: args }: ToolCall,
  tool: ReadyTool,
  policyVersion: string | undefined,
): ApprovalBinding {
  const definitionHash = `sha256:${sha256(canonicalJson(definitionOf(tool)))}`
  return { caller: caller.id, server, ...identityIn(tool), tool: tool.name, definitionHash, arguments: args, policyVersion }
}

/** SHA-256 over the canonical form of what is bound; without an issue, identical calls have the same. */
export function bindingDigest({ server, policyVersion, ...bound }: ApprovalBinding, issue?: RequestIdentity): string {
  // Nothing must look like something: a server may be called "null", but is not null then.
  const facts = { ...bound, server: server ?? null, policyVersion: policyVersion ?? null }
  return sha256(canonicalJson(issue ? { ...facts, id: issue.id, expiresAt: issue.expiresAt } : facts))
}

const facts = [
  ['caller', 'the caller'],
  ['server', 'the server'],
  ['serverIdentity', 'which server it is'],
  ['tool', 'the tool'],
  ['definitionHash', 'the definition of the tool'],
  ['arguments', 'the arguments'],
  ['policyVersion', 'the policy'],
] as const

/** What is no longer as it was shown, in words. */
export const changedFacts = (shown: ApprovalBinding, now: ApprovalBinding): readonly string[] =>
  facts.filter(([fact]) => !isSame(shown[fact], now[fact])).map(([, words]) => words)

const isSame = (shown: Json | undefined, now: Json | undefined): boolean =>
  shown === now || (shown !== undefined && now !== undefined && canonicalJson(shown) === canonicalJson(now))
