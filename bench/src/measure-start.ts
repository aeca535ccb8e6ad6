import { openLines } from './load-stdio.js'
import { lanesOf } from './measure-calls.js'
import type { Reading, Run } from './measures.js'
import { startStdio, stop } from './processes.js'
import { median, ratio } from './race.js'
import { control } from './subjects.js'

/** Time from starting the process to the first answer to tools/list: the subject's divided by the control's. */
export async function measureStart(run: Run): Promise<readonly Reading[]> {
  const able = run.subjects.filter((subject) => subject.stdioScript !== undefined)
  const times = new Map<string, number[]>()
  for (let round = 0; round < run.options.repeats.starts; round += 1) {
    for (const subject of able) {
      const [took] = await lanesOf(run, [subject], ({ stdioScript }) => startOnce(String(stdioScript)))
      if (took !== undefined) times.set(subject.name, [...(times.get(subject.name) ?? []), took])
    }
  }
  const base = times.get(control.name)!
  return [...times].map(([subject, took]) => ({
    subject,
    value: 1 / ratio(base, took),
    detail: `${Math.round(median(took))} ms`,
  }))
}

async function startOnce(script: string): Promise<number> {
  const started = performance.now()
  const child = startStdio(script, { TOOLS: '0' })
  try {
    const lines = await openLines(child)
    await lines.ask({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} })
    return performance.now() - started
  } finally {
    await stop(child)
  }
}
