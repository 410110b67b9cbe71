const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

export const perSecond = (rate: number): string => `${whole.format(rate)}/s`
export const count = (value: number): string => whole.format(value)
export const factor = (ratio: number): string => `${ratio.toFixed(2)} ×`
export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`
export const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(2)} KB`
export const megabytes = (bytes: number): string => `${whole.format(bytes / 1_000_000)} MB`
export const microseconds = (value: number): string => `${whole.format(value)} µs`
export const percent = (share: number): string => `${whole.format(share * 100)} %`
