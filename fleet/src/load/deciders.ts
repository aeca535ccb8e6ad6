// People who decide pending calls, at any replica, and sometimes at two at the same time.
import { setTimeout as pause } from 'node:timers/promises'
import type { Replica } from '../cluster/replica.js'
import type { Event } from '../history.js'
import { pick } from '../random.js'

type Waiting = { readonly id: string; readonly arguments?: { readonly id?: string } }
type Deciding = { readonly replicas: readonly Replica[]; readonly random: () => number; readonly note: (event: Event) => void }

/** Decides until stopped. A repeated call is denied if it was approved before, because one approval covers one call. */
export function startDeciders({ replicas, random, note }: Deciding): { stop(): Promise<void> } {
  let isOver = false
  /** The approved pending call, by the id of the call. */
  const agreed = new Map<string, string>()

  async function decide(one: Waiting, replica: Replica): Promise<void> {
    const call = one.arguments?.id ?? ''
    const decision = (agreed.get(call) ?? one.id) === one.id ? 'allow' : 'deny'
    const others = replicas.filter((other) => other !== replica)
    // Tests a late approval, after its caller was told to call again.
    if (random() < 0.2) await pause(2_500)
    const deciding = random() < 0.3 && others.length > 0 ? [replica, pick(others, random)] : [replica]
    if (decision === 'allow') agreed.set(call, one.id)
    await Promise.all(
      deciding.map(async (asked) => {
        const answer = await asked.manage(`/approvals/${one.id}`, { decision })
        const about = { kind: 'decided', approval: one.id, call, replica: asked.name, decision } as const
        note({ ...about, status: answer?.status ?? 0, at: Date.now() })
      }),
    )
  }

  async function lane(): Promise<void> {
    const seen = new Set<string>()
    while (!isOver) {
      const replica = pick(replicas, random)
      const answer = await replica.manage('/approvals?limit=100')
      const { approvals = [] } = (answer?.body ?? {}) as { approvals?: Waiting[] }
      const fresh = approvals.filter(({ id }) => !seen.has(id))
      for (const one of fresh) {
        seen.add(one.id)
        // Decides again later, in case the decision got no response.
        void decide(one, pick(replicas, random)).then(() => setTimeout(() => seen.delete(one.id), 3_000).unref())
      }
      await pause(60)
    }
  }

  const running = lane()
  return {
    async stop() {
      isOver = true
      await running
    },
  }
}
