import { signal } from '@preact/signals'

/** The time now, told each second to those who look. */
export const now = signal(Date.now(), {
  watched() {
    timer = setInterval(() => {
      now.value = Date.now()
    }, 1_000)
  },
  unwatched() {
    clearInterval(timer)
  },
})

let timer: ReturnType<typeof setInterval> | undefined
