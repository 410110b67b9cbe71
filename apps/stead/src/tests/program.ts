export { Program } from '@stead/testing'
