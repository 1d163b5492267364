from_root = "root"
