/** Providers say what they are configured with in the same words: so it lives in their kit. */
export { Type } from '@stead/provider-kit'
