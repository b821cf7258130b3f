package serverlog

import "path"

// Declaration returns the YAML file of a built-in format, which is a model for formats
// of one's own.
func Declaration(id string) (data []byte, ok bool) {
	data, err := builtinFiles.ReadFile(path.Join("formats", id+".yaml"))
	return data, err == nil
}
