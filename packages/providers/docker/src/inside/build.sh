#!/bin/sh
# Builds inside.c for every architecture we know, and writes program.ts. Needs gcc and gcc-aarch64-linux-gnu.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
build() { # architecture, prefix of the tools, flags of this architecture
  "$2gcc" -Os -static -nostdlib -ffreestanding -fno-stack-protector -fno-builtin -fno-asynchronous-unwind-tables \
    -fno-pie -no-pie -Wall -Wextra -Werror -Wl,-z,noseparate-code -Wl,--build-id=none $3 -o "$work/$1" inside.c
  "$2strip" -s -R .comment -R .note.gnu.property "$work/$1"
}
build x86_64 '' -fcf-protection=none
build aarch64 aarch64-linux-gnu- ''
{
  echo "// Written by build.sh from inside.c: gzipped, in base64."
  echo "export const programs = {"
  for architecture in x86_64 aarch64; do
    echo "  $architecture:"
    echo "    '$(gzip -9nc "$work/$architecture" | base64 -w0)',"
  done
  echo "} as const"
} >program.ts
