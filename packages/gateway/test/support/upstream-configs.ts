// Configs of the upstream servers in these tests.
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { child, moody, program, upstreamConfig } from './running-gateway.js'

/** A server with a read-only tool, a writing tool and a slow tool. */
export const notes = (more: Partial<UpstreamConfig> = {}, ...args: string[]): UpstreamConfig =>
  upstreamConfig('notes', moody(program('notes-server.mjs'), ...args), { trusted: true, ...more })

/** A server whose tools ask questions, report progress, and wait for a cancellation. */
export const asking = (revision = '2025-11-25', more: Partial<UpstreamConfig> = {}): UpstreamConfig =>
  upstreamConfig('asking', child(program('asking-child.mjs'), revision), { trusted: true, ...more })

/** A guard without approvals and rate limits. */
export const open = { ...defaultGuard, approvals: false, rate: false, lists: false } as const
