LIBS := -lpcap -larchive
