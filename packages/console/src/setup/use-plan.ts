import { useState } from 'preact/hooks'
import { pathSegment, postJson, putJson } from '../api/api.js'
import type { JsonObject, ServerPlan } from '../api/types.js'
import { errorText } from '../parts/Problem.js'

export type ServerChange =
  | { readonly what: 'add'; readonly name: string; readonly entry: JsonObject }
  | { readonly what: 'change'; readonly id: string; readonly entry: JsonObject }
  | { readonly what: 'remove'; readonly id: string }

type Answer = ServerPlan & { readonly done: boolean }

function ask(change: ServerChange, confirm?: string): Promise<Answer> {
  const more = confirm === undefined ? {} : { confirm }
  if (change.what === 'add') return postJson('/servers', { name: change.name, entry: change.entry, ...more })
  if (change.what === 'change') return putJson(`/servers/${pathSegment(change.id)}`, { entry: change.entry, ...more })
  return postJson(`/servers/${pathSegment(change.id)}/remove`, more)
}

/** A change in two steps: a preview, and the confirmation of exactly that. */
export function usePlan(onDone: () => void) {
  const [planned, setPlanned] = useState<{ readonly change: ServerChange; readonly plan: ServerPlan }>()
  const [trouble, setTrouble] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function doing(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    setTrouble(undefined)
    await work().catch((thrown: unknown) => setTrouble(errorText(thrown)))
    setBusy(false)
  }
  return {
    plan: planned?.plan,
    trouble,
    isBusy,
    look: (change: ServerChange) => doing(async () => setPlanned({ change, plan: await ask(change) })),
    back: () => {
      setPlanned(undefined)
      setTrouble(undefined)
    },
    confirm: () =>
      doing(async () => {
        if (!planned) return
        await ask(planned.change, planned.plan.confirm)
        onDone()
      }),
  }
}
