import { signal } from '@preact/signals'

/** The time now, told each second to those who look. */
export const currentTime = signal(Date.now(), {
  watched() {
    timer = setInterval(() => {
      currentTime.value = Date.now()
    }, 1_000)
  },
  unwatched() {
    clearInterval(timer)
  },
})

let timer: ReturnType<typeof setInterval> | undefined
