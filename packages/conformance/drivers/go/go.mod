module claudewire.dev/conformance-driver

go 1.21
